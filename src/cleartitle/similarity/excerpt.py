"""Excerpts: what of a candidate is left without its prompt, and which part of a source it resembles most."""

from collections import defaultdict, deque

from cleartitle.code.languages import split_lines

__all__ = ["Match", "best_window", "best_windows", "without_prompt", "without_prompt_paper"]

Match = tuple[int, int, int]
"""Start in the one sequence, start in the other one, length."""

PADDING = 20
ROUNDS = 8


def best_windows(
    matches: list[Match], lengths: tuple[int, int], padding: int = PADDING
) -> tuple[tuple[int, int], tuple[int, int], list[Match]]:
    """The part of each of two sequences that make them most alike, and the matches within both.

    Args:
        matches: at least one, not overlapping in either sequence, such as tiles.
        lengths: of both sequences.
        padding: what is added to the lengths of the parts while choosing. Without it the single longest match would
            always win; with it a part may grow over a gap to a further match.

    Returns:
        Two half-open ranges and the matches that lie within both.

    The parts are chosen in turn, each as the best window for the other one, until neither changes. That finds a good
    choice and not always the best.
    """
    parts = ((0, lengths[0]), (0, lengths[1]))
    for _ in range(ROUNDS):
        inside = _within(matches, *parts)
        first = best_window(sorted((left, left + size) for left, _, size in inside), _length(parts[1]) + padding)
        assert first is not None
        inside = _within(matches, first, parts[1])
        second = best_window(sorted((right, right + size) for _, right, size in inside), _length(first) + padding)
        assert second is not None
        if parts == (first, second):
            break
        parts = (first, second)
    return *parts, _within(matches, *parts)


def _length(part: tuple[int, int]) -> int:
    return part[1] - part[0]


def _within(matches: list[Match], one: tuple[int, int], other: tuple[int, int]) -> list[Match]:
    return [
        match
        for match in matches
        if one[0] <= match[0] and match[0] + match[2] <= one[1]
        if other[0] <= match[1] and match[1] + match[2] <= other[1]
    ]


def best_window(stretches: list[tuple[int, int]], other_length: int) -> tuple[int, int] | None:
    """The part of a sequence that is most like another one of ``other_length``, of which it holds some stretches.

    Args:
        stretches: half-open ranges of the sequence that the other one shares, in order, not overlapping.
        other_length: length of the other sequence, at least 1.

    Returns:
        The half-open range that maximizes 2 m / (length + other_length), where m is the shared length within it; None
        without stretches. It begins and ends with a stretch; what lies between counts against it.

    The quotient is maximized by Dinkelbach's method (1967): for a guess q the range with the greatest 2 m - q length
    is found in one pass, and its own quotient is the next guess, until it no longer grows.
    """
    best: tuple[int, int] | None = None
    quotient = 0.0
    while stretches:
        window, shared = _heaviest(stretches, quotient)
        reached = 2 * shared / (window[1] - window[0] + other_length)
        if reached <= quotient:
            break
        best, quotient = window, reached
    return best


def _heaviest(stretches: list[tuple[int, int]], quotient: float) -> tuple[tuple[int, int], int]:
    """The range with the greatest 2 m - quotient * length, and its m."""
    best_weight = float("-inf")
    best = (0, 0)
    best_shared = 0
    weight, start, shared, last = 0.0, 0, 0, 0
    for begin, end in stretches:
        gap = quotient * (begin - last)
        if weight - gap <= 0:
            weight, start, shared = 0.0, begin, 0
        else:
            weight -= gap
        shared += end - begin
        weight += (2 - quotient) * (end - begin)
        last = end
        if weight > best_weight:
            best_weight, best, best_shared = weight, (start, end), shared
    return best, best_shared


def without_prompt(candidate: str, prompt: str) -> str:
    """The candidate with blank lines for the prompt, where it repeats it: all its lines in a row.

    Blank lines and indents do not matter. Of a last line that goes on in the candidate the rest stays. A candidate
    that only continues the prompt, or that changed it, stays as it is. Line numbers do not change.
    """
    wanted = [line.strip() for line in split_lines(prompt) if line.strip()]
    lines = split_lines(candidate)
    full = [number for number, line in enumerate(lines) if line.strip()]
    texts = [lines[number].strip() for number in full]
    for start in range(len(texts) - len(wanted) + 1) if wanted else ():
        stop = start + len(wanted) - 1
        if texts[start:stop] == wanted[:-1] and texts[stop].startswith(wanted[-1]):
            for number in full[start:stop]:
                lines[number] = _end_of(lines[number])
            lines[full[stop]] = texts[stop][len(wanted[-1]) :] + _end_of(lines[full[stop]])
            break
    return "".join(lines)


def without_prompt_paper(candidate: str, prompt: str) -> str:
    """The candidate with a blank line for each line that the prompt has too, once for each time that it has it.

    The release of CodeIPPrompt takes out what a line-by-line difference finds in both; here every line of the prompt
    takes out the first line of the candidate that is equal to it.
    """
    lines = split_lines(candidate)
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for number, line in enumerate(lines):
        places[line.rstrip("\r\n")].append(number)
    for line in split_lines(prompt):
        known = places.get(line.rstrip("\r\n"))
        if line.strip() and known:
            number = known.popleft()
            lines[number] = _end_of(lines[number])
    return "".join(lines)


def _end_of(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
