"""What stands in a source file: languages, functions and their parts, comments, complexity."""

from cleartitle.code.comments import Comment, comment_lines_paper, comments, is_worded, shared_comments
from cleartitle.code.complexity import complexity
from cleartitle.code.definitions import Definition, definitions, normal_line_ends
from cleartitle.code.extract import Extraction, extract_body, fenced_blocks, without_thoughts
from cleartitle.code.functions import Unit, units
from cleartitle.code.languages import LANGUAGES, Language, language, language_of_path
from cleartitle.code.preamble import names_license, preamble, without_header
from cleartitle.code.python_source import UnparsableError
from cleartitle.code.transform import first_half, rename_identifiers, strip_comments

__all__ = [
    "LANGUAGES",
    "Comment",
    "Definition",
    "Extraction",
    "Language",
    "UnparsableError",
    "Unit",
    "comment_lines_paper",
    "comments",
    "complexity",
    "definitions",
    "extract_body",
    "fenced_blocks",
    "first_half",
    "is_worded",
    "language",
    "language_of_path",
    "names_license",
    "normal_line_ends",
    "preamble",
    "rename_identifiers",
    "shared_comments",
    "strip_comments",
    "units",
    "without_header",
    "without_thoughts",
]
