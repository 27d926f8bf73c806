"""The options of a corpus build."""

from dataclasses import dataclass, field

from cleartitle.code import LANGUAGES
from cleartitle.errors import InputError
from cleartitle.options import NOT_IN_KEY

__all__ = ["CorpusOptions"]


@dataclass(frozen=True)
class CorpusOptions:
    """What goes into a corpus.

    Raises:
        InputError: an unknown language, an absurd limit, or a column override that is not ``ROLE=COLUMN``.
    """

    languages: tuple[str, ...] = ()
    """Languages to keep, out of ``python java c cpp csharp``. None named means those of the starter lists and
    searches among the sources, else Python."""
    max_file_bytes: int = 2**20
    """Larger files are left out (bytes)."""
    max_line_chars: int = 20_000
    """Files with a longer line are data or minified code and are left out (characters)."""
    min_lines: int = 1
    max_lines: int = 100_000
    include_vendored: bool = True
    """Keep files below ``vendor``, ``node_modules`` and the like (they are marked, and the declaration of the package
    around them is not taken to speak for them)."""
    columns: tuple[str, ...] = ()
    """Overrides of the column recognition of data sets, each ``ROLE=COLUMN``, for example ``content=code``."""
    max_rows: int = 0
    """Rows read from each data set file; 0 for all."""
    shard_files: int = 2_000
    """Most files or rows in one shard."""
    shard_bytes: int = 64 * 2**20
    """Bytes after which a shard of a folder, repository or data set is closed."""
    workers: int | None = field(default=None, metadata=NOT_IN_KEY)
    """Worker processes; one a processor by default."""
    debian_mirror: str = field(default="", metadata=NOT_IN_KEY)
    """Address of a Debian mirror that is asked directly, instead of apt."""
    npm_registry: str = field(default="", metadata=NOT_IN_KEY)
    """Address of an npm registry that is asked directly, instead of the npm client."""
    github_api: str = field(default="https://api.github.com", metadata=NOT_IN_KEY)
    """Address of the REST API of GitHub, or of a GitHub Enterprise server (``https://HOST/api/v3``)."""
    github_token_variable: str = field(default="GITHUB_TOKEN", metadata=NOT_IN_KEY)
    """Name of the environment variable with a token for it; the token itself is never shown or stored."""
    refresh: bool = field(default=False, metadata=NOT_IN_KEY)
    """Ask mirrors, registries and searches anew for what has no fixed version, instead of believing the cache."""

    def __post_init__(self) -> None:
        unknown = sorted(set(self.languages) - set(LANGUAGES))
        if unknown:
            raise InputError(f"languages {', '.join(unknown)}: choose from {', '.join(LANGUAGES)}")
        for name in ("max_file_bytes", "max_line_chars", "max_lines", "shard_files", "shard_bytes"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; mend: at least 1")
        self.column_overrides()

    def column_overrides(self) -> dict[str, str]:
        """The column overrides as a mapping of role to column name."""
        pairs = [text.partition("=") for text in self.columns]
        if bad := [role for role, equals, column in pairs if not (role and equals and column)]:
            raise InputError(f"column override {bad[0]!r}: mend: write ROLE=COLUMN, for example content=code")
        return {role.strip(): column.strip() for role, _, column in pairs}
