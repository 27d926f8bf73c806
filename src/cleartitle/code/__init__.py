"""What stands in a source file: languages, functions and their parts, comments, complexity."""

from cleartitle.code.languages import LANGUAGES, Language, language, language_of_path

__all__ = ["LANGUAGES", "Language", "language", "language_of_path"]
