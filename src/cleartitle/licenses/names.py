"""Names of licenses in running text: SPDX ids, spoken names, abbreviations, with versions and "or later"."""

from cleartitle.licenses.gnu_names import gnu_mentions, with_exceptions
from cleartitle.licenses.mention import Mention, clean_text
from cleartitle.licenses.name_table import name_table
from cleartitle.licenses.rule_names import rule_mentions

__all__ = ["Mention", "clean_text", "find_names"]


def _table_mentions(text: str) -> list[Mention]:
    table = name_table()
    hits = table.find_ids(text) + table.find_names(text)
    return [Mention(hit.start, hit.end, hit.row.replaced_by or hit.row.id, hit.row.is_family) for hit in hits]


def find_names(text: str) -> list[Mention]:
    """All license names of a cleaned text, in order, without overlaps; of two that overlap the longer one stands.

    It says what is named, not what is asserted: negation and doubt are the caller's.
    """
    mentions = gnu_mentions(text) + rule_mentions(text) + _table_mentions(text)
    mentions.sort(key=lambda mention: (mention.start - mention.end, mention.weak, mention.start))
    taken: list[Mention] = []
    covered = bytearray(len(text) + 1)
    for mention in mentions:
        if not any(covered[mention.start : mention.end]):
            taken.append(mention)
            covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    taken.sort(key=lambda mention: mention.start)
    return with_exceptions(text, taken)
