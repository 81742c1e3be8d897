"""Rows of query results, with bridges to RDFLib and pandas."""

import re
from typing import NamedTuple, Optional

XSD = "http://www.w3.org/2001/XMLSchema#"
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?$', re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_NUMBERS = [
    (re.compile(r"[+-]?\d+$"), "integer", int),
    (re.compile(r"[+-]?\d*\.\d+$"), "decimal", float),
    (re.compile(r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+$"), "double", float),
]


class Term(NamedTuple):
    """An RDF term: `kind` is `iri`, `bnode` or `literal`."""

    kind: str
    value: str
    language: Optional[str] = None
    datatype: Optional[str] = None

    def __str__(self):
        return self.value

    def to_python(self):
        """The value as a number or a boolean, if it is one; otherwise its text."""
        convert = {"integer": int, "decimal": float, "double": float, "float": float, "boolean": lambda v: v == "true"}
        name = (self.datatype or "").removeprefix(XSD) if self.kind == "literal" else ""
        try:
            return convert[name](self.value) if name in convert else self.value
        except ValueError:
            return self.value

    def to_rdflib(self):
        """The term of RDFLib (extra `rdflib`)."""
        import rdflib

        if self.kind == "iri":
            return rdflib.URIRef(self.value)
        if self.kind == "bnode":
            return rdflib.BNode(self.value)
        datatype = rdflib.URIRef(self.datatype) if self.datatype else None
        return rdflib.Literal(self.value, lang=self.language, datatype=datatype)


class Rows:
    """The rows of a SELECT query, each a dictionary of terms. They can be iterated once."""

    def __init__(self, variables, cells):
        self.variables = variables
        self._cells = cells

    def __iter__(self):
        for cells in self._cells:
            yield {name: term for name, term in zip(self.variables, cells) if term is not None}

    def to_rdflib(self):
        """The rows as dictionaries of RDFLib terms (extra `rdflib`)."""
        return [{name: term.to_rdflib() for name, term in row.items()} for row in self]

    def to_pandas(self):
        """A data frame with numbers, booleans and texts (extra `pandas`)."""
        import pandas

        rows = [{name: term.to_python() for name, term in row.items()} for row in self]
        return pandas.DataFrame(rows, columns=self.variables)


def parse_row(line):
    """The terms of a line of SPARQL Results TSV; `None` for an unbound variable."""
    return [parse_term(cell) if cell else None for cell in line.split("\t")]


def parse_term(text):
    """A term in the syntax of Turtle."""
    if text.startswith("<"):
        return Term("iri", _unescape(text[1:-1]))
    if text.startswith("_:"):
        return Term("bnode", text[2:])
    literal = _LITERAL.match(text)
    if literal:
        value, language, datatype = literal.groups()
        return Term("literal", _unescape(value), language, datatype)
    if text in ("true", "false"):
        return Term("literal", text, None, XSD + "boolean")
    for pattern, name, _ in _NUMBERS:
        if pattern.match(text):
            return Term("literal", text, None, XSD + name)
    raise ValueError(f"not an RDF term: {text!r}")


def _unescape(text):
    def character(match):
        code = match.group(1)
        if code[0] in "uU" and len(code) > 1:
            return chr(int(code[1:], 16))
        return _CONTROLS.get(code, code)

    return _ESCAPE.sub(character, text) if "\\" in text else text
