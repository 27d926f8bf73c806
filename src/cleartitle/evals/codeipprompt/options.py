"""The options of a prompt set."""

from dataclasses import dataclass, field

from cleartitle.code import language as find_language
from cleartitle.code.scrub import ScrubOptions
from cleartitle.errors import InputError
from cleartitle.evals.codeipprompt.candidates import Rules
from cleartitle.evals.codeipprompt.paper_rule import CommentFilter
from cleartitle.evals.codeipprompt.prompts import LANGUAGES, Mode
from cleartitle.options import NOT_IN_KEY

__all__ = ["PromptOptions"]

PER_PROJECT = 150
BODY_LINES = 3
KINDS = ("function", "class")


@dataclass(frozen=True)
class PromptOptions:
    """Options of `build_prompts`."""

    mode: Mode = "corrected"
    """paper: two lines by the release's rule; corrected: whole signatures and comments, and bodies long enough."""
    languages: tuple[str, ...] = LANGUAGES
    """Languages to take prompts from."""
    kinds: tuple[str, ...] = KINDS
    """function, class or both."""
    one_per_file: bool = True
    """At most one prompt of a file, as in the paper; in corrected mode it is drawn, in paper mode it is the first."""
    limit: int = 0
    """Most prompts, drawn evenly over the cells of license class and language; 0 for all."""
    seed: int = 0
    """Seed of every draw."""
    max_per_project: int | None = None
    """Most prompts of one project and language; 0 for no limit. By default 150, in paper mode no limit."""
    body_lines_min: int | None = None
    """Fewest nonblank lines of a body, corrected mode only. By default 3: what is shorter is alike by chance."""
    prompt_lines_max: int = 60
    """Most lines of a prompt, corrected mode only."""
    comment_filter: CommentFilter = "intended"
    """release: with the slip of precedence in the released filter; paper mode only."""
    scrub: bool = True
    """Replace secrets and personal data in prompts and files by placeholders."""
    names: bool = False
    """Also look for names of persons in comments with Presidio and spaCy (extra privacy)."""
    spacy_model: str = "en_core_web_sm"
    """Installed spaCy model that finds the names."""
    workers: int = field(default=0, metadata=NOT_IN_KEY)
    """Processes; 0 for one a processor."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning, and choose the defaults of the mode."""
        for name in self.languages:
            find_language(name)
        if self.max_per_project is None:
            object.__setattr__(self, "max_per_project", 0 if self.mode == "paper" else PER_PROJECT)
        if self.body_lines_min is None:
            object.__setattr__(self, "body_lines_min", 0 if self.mode == "paper" else BODY_LINES)
        wrong = [
            f"{name}={getattr(self, name)}"
            for name in ("limit", "seed", "max_per_project", "body_lines_min", "workers")
            if getattr(self, name) < 0
        ]
        wrong += [f"prompt_lines_max={self.prompt_lines_max}"] if self.prompt_lines_max < 1 else []
        wrong += [f"kinds={name}" for name in self.kinds if name not in KINDS]
        wrong += [f"{name}=nothing" for name in ("languages", "kinds") if not getattr(self, name)]
        if wrong:
            raise InputError(f"prompt options: {', '.join(wrong)}: out of range")
        if self.comment_filter == "release" and self.mode != "paper":
            raise InputError(
                "prompt options: the filter of the release belongs to paper mode; mend: add `--mode paper`"
            )
        if not self.one_per_file and self.mode == "paper":
            raise InputError("prompt options: in paper mode a file gives one prompt; mend: `--mode corrected`")

    def rules(self) -> Rules:
        """The rules that a function or class must pass."""
        return Rules(self.mode, self.kinds, self.body_lines_min or 0, self.prompt_lines_max, self.comment_filter)

    def scrubbing(self) -> ScrubOptions | None:
        """What is scrubbed, or None for nothing."""
        return ScrubOptions(names=self.names, spacy_model=self.spacy_model) if self.scrub else None
