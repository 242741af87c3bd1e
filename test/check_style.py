"""check_style.py ROOT: prints what breaks the style of the house below ROOT; nothing if all is well.

Types are not known here, so that some rules are near misses on purpose: better a rule that overlooks
a case than one that has to be argued with.
"""
import re
import sys
from pathlib import Path

FOLDERS = ["src", "app", "view", "bench", "test"]
MOST_FUNCTION_LINES = 80
MOST_FILE_LINES = 500
MOST_COLUMNS = 100
# Options of the build and of tests, which no header declares.
OPTIONS = {"SN_NO_THREADS"}

NAME = re.compile(r"\b(?:Sn[A-Z0-9]\w*|SN_[A-Z0-9]\w*|sn_(?!_)\w+)")
COMMENT = "\x01"  # stands where a comment was


def without_comments(text):
    """The same lines, comments as marks and strings empty."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

    def plain(match):
        found = match.group()
        lines = "\n" * found.count("\n")
        return COMMENT + lines if found[0] == "/" else found[0] * 2 + lines

    return pattern.sub(plain, text)


def without_directives(text):
    """Preprocessor lines, with those that continue them, are empty: macros are not parsed."""
    out, inside = [], False
    for line in text.split("\n"):
        directive = inside or line.lstrip().startswith("#")
        inside = directive and line.endswith("\\")
        out.append("" if directive else line)
    return "\n".join(out)


class Source:
    def __init__(self, path, name):
        self.name = name
        self.raw = path.read_text(encoding="utf-8")
        self.code = without_comments(self.raw)
        self.text = without_directives(self.code)
        self.close = self.match_brackets()

    def match_brackets(self):
        """Where each opening bracket is closed."""
        close, stack = {}, []
        for i, c in enumerate(self.text):
            if c in "([{":
                stack.append(i)
            elif c in ")]}" and stack:
                close[stack.pop()] = i
        return close

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def where(self, at):
        return f"{self.name}:{self.line(at)}"


def check_names(source, declared):
    for match in NAME.finditer(source.code):
        if match.group() not in declared | OPTIONS:
            line = source.code.count("\n", 0, match.start()) + 1
            yield f"{source.name}:{line}: {match.group()} is no public name: write it without prefix"


# A variable, perhaps a cast one, with its fields and elements.
PLACE = r"\*?(?:\(\([^()]*\)\w+\)|[A-Za-z_]\w*)(?:(?:->|\.)\w+|\[[^][]*(?:\[[^][]*\][^][]*)*\])*"
POSTFIX = re.compile(rf"(?P<what>{PLACE})(?:\+\+|--)")


def check_increments(source):
    """i++ whose value nobody reads. Behind a bracket on the same line it may be what is cast."""
    statement = rf"(?:[;{{}}{COMMENT}]|\)[ ]*\n|\belse\b)\s*{POSTFIX.pattern}\s*(?=;)"
    for match in re.finditer(statement, source.text):
        yield f"{source.where(match.start('what'))}: write ++i, not i++: {match.group('what')}"
    for match in re.finditer(r"\bfor \(", source.text):
        header = source.text[match.end():source.close[match.end() - 1]]
        last = header.rsplit(";", 1)[-1]
        for clause in last.split(","):
            if POSTFIX.fullmatch(clause.strip()):
                yield f"{source.where(match.start())}: write ++i, not i++, in a loop: {clause.strip()}"


class Braces:
    """Walks over statements, and finds braces around a single one."""

    def __init__(self, source):
        self.source, self.text, self.found = source, source.text, []

    def skip(self, i):
        while self.text[i:i + 1] and self.text[i] in " \t\n" + COMMENT:
            i += 1
        return i

    def word(self, i):
        match = re.compile(r"\w+").match(self.text, i)
        return match.group() if match else ""

    def after_header(self, i):
        """Behind the brackets of if (…), for (…) and the like, at i or after it."""
        return self.source.close[self.text.index("(", i)] + 1

    def statement(self, i):
        """The end of the statement at i."""
        i = self.skip(i)
        word = self.word(i)
        if self.text[i] == "{":
            return self.block(i)[0]
        if word == "if":
            return self.chain(i)
        if word in ("for", "while", "switch"):
            body = self.skip(self.after_header(i))
            end, needed = self.body(body)
            if self.text[body] == "{" and not needed and word != "switch":
                self.complain(body)
            return end
        if word == "do":
            end = self.skip(self.statement(i + 2))
            return self.text.index(";", self.after_header(end)) + 1
        if word in ("case", "default") or re.compile(r"\w+\s*:(?!:)").match(self.text, i):
            return self.text.index(":", i) + 1
        while self.text[i] not in ";}":
            i = self.source.close[i] + 1 if self.text[i] in "([{" else i + 1
        return i + 1 if self.text[i] == ";" else i

    def block(self, i):
        """The end of the block at i, and how many statements are in it."""
        end, count = self.source.close[i], 0
        i = self.skip(i + 1)
        while i < end:
            i = self.skip(self.statement(i))
            count += 1
        return end + 1, count

    def body(self, i):
        """The end of a body, and whether it needs braces."""
        if self.text[i] != "{":
            return self.statement(i), False
        end, count = self.block(i)
        return end, count != 1 or COMMENT in self.text[i:end]

    def chain(self, i):
        """if … else if … else: one branch that needs braces excuses the others."""
        braced, excused = [], False
        while True:
            if self.word(i) == "if":
                body = self.skip(self.after_header(i))
            else:
                body = i
            end, needed = self.body(body)
            follows = self.skip(end)
            more = self.word(follows) == "else"
            if self.text[body] == "{":
                braced.append(body)
                inner = self.word(self.skip(body + 1))
                needed |= more and inner in ("if", "for", "while")
            excused |= needed
            if not more:
                break
            i = self.skip(follows + 4)
        if not excused:
            for body in braced:
                self.complain(body)
        return end

    def complain(self, at):
        self.found.append(f"{self.source.where(at)}: no braces around a single statement")


def functions(source):
    """Where the first line of each function is, and its braces."""
    i = 0
    while True:
        i = source.text.find("{", i)
        if i < 0 or i not in source.close:
            return
        before = source.text[:i].rstrip()
        if before.endswith(")"):
            start = max(before.rfind(";"), before.rfind("}"), before.rfind("\n\n"),
                        before.rfind(COMMENT))
            start = len(before[:start + 1]) + len(before[start + 1:]) - len(before[start + 1:].lstrip())
            yield start, i
        i = source.close[i]


def check_braces(source):
    braces = Braces(source)
    for _, body in functions(source):
        braces.block(body)
    return braces.found


def check_pointers(source):
    """!p, where the file knows p as a pointer and as nothing else."""
    pointers = set(re.findall(r"\w \*+(?:const |restrict )?(\w+)", source.text))
    for names in re.findall(r"\b(?:bool|int|float|double|size_t|uint\d+_t) ([^;(){}]*)", source.text):
        pointers -= {n for n in re.findall(r"(?:^|, ?)(\w+)", names)}
    for match in re.finditer(r"!(\w+)\b(?!\s*(?:\[|\(|->|\.))", source.text):
        if match.group(1) in pointers:
            yield f"{source.where(match.start())}: write {match.group(1)} == NULL"


def check_lengths(source):
    lines = source.raw.count("\n")
    if lines > MOST_FILE_LINES:
        yield f"{source.name}: {lines} lines, more than {MOST_FILE_LINES}: make it two files"
    for start, body in functions(source):
        lines = source.line(source.close[body]) - source.line(start) + 1
        if lines > MOST_FUNCTION_LINES:
            yield f"{source.where(start)}: a function of {lines} lines, more than {MOST_FUNCTION_LINES}"


def check_markdown(path, name):
    """Tables, code, pictures, markup and single words that are too long may stick out."""
    fence = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        fence ^= line.lstrip().startswith("```")
        words = re.sub(r"^\s*(?:[-*>]|\d+\.)?\s+", "", line)
        if fence or len(line) <= MOST_COLUMNS or " " not in words.strip():
            continue
        if not re.match(r"\s*(?:\||!\[|<|\[[^]]*\]: )", line):
            yield f"{name}:{number}: {len(line)} columns, more than {MOST_COLUMNS}"


def check_tree(root):
    declared = set()
    for header in sorted(root.glob("include/sinew/*.h")):
        declared |= set(NAME.findall(without_comments(header.read_text(encoding="utf-8"))))
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.[ch]")):
            source = Source(path, str(path.relative_to(root)))
            yield from check_names(source, declared)
            yield from check_increments(source)
            yield from check_braces(source)
            yield from check_pointers(source)
            if folder == "src":
                yield from check_lengths(source)
    for path in [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").glob("*.md"))]:
        if path.exists():
            yield from check_markdown(path, str(path.relative_to(root)))


for complaint in check_tree(Path(sys.argv[1])):
    print(complaint)
