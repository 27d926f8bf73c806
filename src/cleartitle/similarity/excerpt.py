"""Excerpts: what of a candidate is left without its prompt, and which part of a source it resembles most."""

from cleartitle.code.languages import split_lines

__all__ = ["best_window", "without_prompt", "without_prompt_paper"]


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
    """The candidate without the prompt, where it repeats it: all its lines in a row, blank ones and indents aside.

    A prompt whose last line goes on in the candidate is cut off within the line. A candidate that only continues the
    prompt, or that changed it, stays as it is.
    """
    wanted = [line.strip() for line in split_lines(prompt) if line.strip()]
    lines = split_lines(candidate)
    full = [number for number, line in enumerate(lines) if line.strip()]
    texts = [lines[number].strip() for number in full]
    if not wanted:
        return candidate
    for start in range(len(texts) - len(wanted) + 1):
        stop = start + len(wanted)
        if texts[start : stop - 1] == wanted[:-1] and texts[stop - 1].startswith(wanted[-1]):
            rest = texts[stop - 1][len(wanted[-1]) :]
            tail = lines[full[stop - 1] + 1 :]
            return "".join(lines[: full[start]]) + (rest + "\n" if rest else "") + "".join(tail)
    return candidate


def without_prompt_paper(candidate: str, prompt: str) -> str:
    """The candidate without each line that the prompt has too, once for each time that the prompt has it.

    The release of CodeIPPrompt takes out what a line-by-line difference finds in both; here every line of the prompt
    takes out the first line of the candidate that is equal to it.
    """
    lines = candidate.split("\n")
    for line in prompt.split("\n"):
        if line.strip() and line in lines:
            lines.remove(line)
    return "\n".join(lines)
