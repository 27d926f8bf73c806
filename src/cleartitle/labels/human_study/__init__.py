"""The tasks of Copyright-Bench for people, in a browser: consent, no personal data, tasks by lot, going on later."""

from cleartitle.labels.human_study.options import StudyOptions
from cleartitle.labels.human_study.server import StudyServer
from cleartitle.labels.human_study.study import Person, Study

__all__ = ["Person", "Study", "StudyOptions", "StudyServer"]
