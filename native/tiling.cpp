#include "tiling.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace cleartitle {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t prime = (1ULL << 61) - 1;
constexpr std::uint64_t radix = 0x1B873593CC9E2D51ULL % prime;

// Steps for the way by runs: beyond them rounds are not slower.
std::uint64_t allowance(std::size_t left, std::size_t right) {
    return 1'000'000ULL + 8ULL * (left + right);
}

constexpr std::uint64_t steps_of_a_run = 16;

// The product modulo 2^61 - 1 without 128-bit numbers: 2^61 is 1, so upper bits are added to the lower ones.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t low31 = (1ULL << 31) - 1, low30 = (1ULL << 30) - 1;
    const std::uint64_t a_high = a >> 31, a_low = a & low31, b_high = b >> 31, b_low = b & low31;
    const std::uint64_t middle = a_low * b_high + a_high * b_low;
    std::uint64_t sum = a_high * b_high * 2 + (middle >> 30) + ((middle & low30) << 31) + a_low * b_low;
    sum = (sum & prime) + (sum >> 61);
    return sum >= prime ? sum - prime : sum;
}

bool untouched(const std::vector<std::uint8_t> &marks, std::size_t start, std::size_t length) {
    return std::memchr(marks.data() + start, 1, length) == nullptr;
}

void mark(std::vector<std::uint8_t> &marks, std::size_t start, std::size_t length) {
    std::memset(marks.data() + start, 1, length);
}

// One side of the tiling in rounds: its values, which of them a tile covers, and hashes of any window in O(1).
struct Side {
    const std::uint32_t *values;
    std::size_t length;
    std::vector<std::uint8_t> marks;
    std::vector<std::uint64_t> prefixes;
    std::vector<std::uint32_t> free;  // how many uncovered values follow from here on

    Side(const std::uint32_t *data, std::size_t size)
        : values(data), length(size), marks(size, 0), prefixes(size + 1, 0), free(size + 1, 0) {
        for (std::size_t i = 0; i < size; ++i) {
            prefixes[i + 1] = (times(prefixes[i], radix) + data[i] + 1) % prime;
        }
    }

    void measure() {
        for (std::size_t i = length; i-- > 0;) {
            free[i] = marks[i] != 0 ? 0 : free[i + 1] + 1;
        }
    }

    std::uint64_t window(std::size_t start, std::size_t width, std::uint64_t power) const {
        const std::uint64_t skipped = times(prefixes[start], power);
        const std::uint64_t whole = prefixes[start + width];
        return whole >= skipped ? whole - skipped : whole + prime - skipped;
    }
};

// The uncovered windows of one width of a side, found by their hash.
struct Windows {
    std::vector<std::uint32_t> heads;
    std::vector<std::uint32_t> next;
    unsigned shift = 60;

    std::uint32_t &head(std::uint64_t hash) { return heads[(hash * 0x9E3779B97F4A7C15ULL) >> shift]; }

    void fill(const Side &side, std::size_t width, std::uint64_t power) {
        unsigned bits = 4;
        while ((std::size_t{1} << bits) < side.length) {
            ++bits;
        }
        shift = 64 - bits;
        heads.assign(std::size_t{1} << bits, none);
        next.assign(side.length, none);
        for (std::size_t j = side.length; j-- > 0;) {
            if (side.free[j] < width) {
                continue;
            }
            const std::uint64_t hash = side.window(j, width, power);
            std::uint32_t &first = head(hash);
            next[j] = first;
            first = static_cast<std::uint32_t>(j);
        }
    }
};

std::uint64_t power_of(std::size_t exponent) {
    std::uint64_t result = 1, factor = radix;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) {
            result = times(result, factor);
        }
        factor = times(factor, factor);
    }
    return result;
}

// Whether both sides have an uncovered window of this width with the same hash.
bool share(const Side &left, const Side &right, std::size_t width, std::vector<std::uint64_t> &seen) {
    const std::uint64_t power = power_of(width);
    unsigned bits = 5;
    while ((std::size_t{1} << bits) < 2 * right.length) {
        ++bits;
    }
    const std::size_t mask = (std::size_t{1} << bits) - 1;
    seen.assign(mask + 1, prime);  // no hash is equal to the modulus
    const auto place = [&](std::uint64_t hash) {
        std::size_t at = (hash * 0x9E3779B97F4A7C15ULL) >> (64 - bits);
        while (seen[at] != prime && seen[at] != hash) {
            at = (at + 1) & mask;
        }
        return at;
    };
    for (std::size_t j = 0; j < right.length; ++j) {
        if (right.free[j] >= width) {
            const std::uint64_t hash = right.window(j, width, power);
            seen[place(hash)] = hash;
        }
    }
    for (std::size_t i = 0; i < left.length; ++i) {
        if (left.free[i] >= width && seen[place(left.window(i, width, power))] != prime) {
            return true;
        }
    }
    return false;
}

// The greatest width from `shortest` to `widest` that `share` accepts, or 0. Steps down from the top double, since
// the next round's width is mostly near the last one's.
std::size_t widest_shared(const Side &left, const Side &right, std::size_t shortest, std::size_t widest, Instant end,
                          std::vector<std::uint64_t> &seen, bool &in_time) {
    std::size_t above = widest + 1, step = 1;
    std::size_t found = 0;
    while (found == 0) {
        in_time = std::chrono::steady_clock::now() < end;
        if (!in_time || above <= shortest) {
            return 0;
        }
        const std::size_t width = above > shortest + step ? above - step : shortest;
        if (share(left, right, width, seen)) {
            found = width;
        } else {
            above = width;
            step *= 2;
        }
    }
    while (above - found > 1 && in_time) {
        const std::size_t width = found + (above - found) / 2;
        (share(left, right, width, seen) ? found : above) = width;
        in_time = std::chrono::steady_clock::now() < end;
    }
    return found;
}

// Takes all tiles of one width, the first free place of the right side for each place of the left one.
std::size_t take_tiles(Side &left, Side &right, std::size_t width, Windows &windows, std::vector<Run> &tiles) {
    const std::uint64_t power = power_of(width);
    windows.fill(right, width, power);
    std::size_t taken = 0;
    for (std::size_t i = 0; i + width <= left.length;) {
        bool found = false;
        if (left.free[i] >= width) {
            // Of the windows at the head those that a tile of this round covers leave the list for good.
            std::uint32_t *link = &windows.head(left.window(i, width, power));
            while (*link != none) {
                const std::uint32_t j = *link;
                if (right.marks[j] != 0 || right.marks[j + width - 1] != 0) {
                    *link = windows.next[j];
                } else if (std::equal(left.values + i, left.values + i + width, right.values + j)) {
                    tiles.push_back({static_cast<std::uint32_t>(i), j, static_cast<std::uint32_t>(width)});
                    mark(left.marks, i, width);
                    mark(right.marks, j, width);
                    found = true;
                    break;
                } else {
                    link = &windows.next[j];
                }
            }
        }
        taken += found ? 1 : 0;
        i += found ? width : 1;
    }
    return taken;
}

}  // namespace

bool tile_runs(std::vector<Run> &runs, std::size_t left_length, std::size_t right_length, std::size_t shortest,
               std::uint64_t &steps, std::vector<Run> &tiles) {
    thread_local std::vector<std::uint8_t> left_marks, right_marks;
    if (runs.empty()) {
        return true;
    }
    left_marks.assign(left_length, 0);
    right_marks.assign(right_length, 0);
    std::make_heap(runs.begin(), runs.end(), comes_later);
    while (!runs.empty()) {
        std::pop_heap(runs.begin(), runs.end(), comes_later);
        const Run run = runs.back();
        runs.pop_back();
        if (steps < run.length + steps_of_a_run) {
            return false;
        }
        steps -= steps_of_a_run;
        if (untouched(left_marks, run.left, run.length) && untouched(right_marks, run.right, run.length)) {
            mark(left_marks, run.left, run.length);
            mark(right_marks, run.right, run.length);
            tiles.push_back(run);
            continue;
        }
        steps -= run.length;
        std::uint32_t length = 0;
        for (std::uint32_t i = 0; i <= run.length; ++i) {
            if (i < run.length && left_marks[run.left + i] == 0 && right_marks[run.right + i] == 0) {
                ++length;
                continue;
            }
            if (length >= shortest) {
                runs.push_back({run.left + i - length, run.right + i - length, length});
                std::push_heap(runs.begin(), runs.end(), comes_later);
            }
            length = 0;
        }
    }
    return true;
}

bool tile_rounds(const std::uint32_t *left, std::size_t left_length, const std::uint32_t *right,
                 std::size_t right_length, std::size_t shortest, Instant end, std::vector<Run> &tiles) {
    Side one(left, left_length), other(right, right_length);
    Windows windows;
    std::vector<std::uint64_t> seen;
    std::size_t widest = std::min(left_length, right_length);
    bool in_time = true;
    while (widest >= shortest) {
        one.measure();
        other.measure();
        const std::size_t width = widest_shared(one, other, shortest, widest, end, seen, in_time);
        if (!in_time) {
            return false;
        }
        if (width == 0) {
            break;
        }
        take_tiles(one, other, width, windows, tiles);
        widest = width - 1;
    }
    return true;
}

bool tile(const std::uint32_t *left, std::size_t left_length, const std::uint32_t *right, std::size_t right_length,
          std::size_t shortest, Instant end, std::vector<Run> &tiles) {
    thread_local std::vector<Run> runs;
    runs.clear();
    std::uint64_t steps = allowance(left_length, right_length);
    if (equal_runs(left, left_length, right, right_length, shortest, steps, runs) &&
        tile_runs(runs, left_length, right_length, shortest, steps, tiles)) {
        return true;
    }
    tiles.clear();
    return tile_rounds(left, left_length, right, right_length, shortest, end, tiles);
}

bool tile_pairs(const std::uint32_t *values, const std::uint64_t *offsets, std::size_t sequences, std::size_t first,
                std::size_t last, std::size_t shortest, Instant end, std::uint32_t *sums) {
    // Windows that occur in two sequences get a number; the others cannot be part of a tile.
    struct Place {
        std::uint64_t hash;
        std::uint32_t sequence;
        std::uint32_t at;
    };
    const std::size_t total = sequences == 0 ? 0 : offsets[sequences];
    std::vector<Place> places;
    std::vector<std::uint64_t> hashes;
    for (std::size_t f = 0; f < sequences; ++f) {
        window_hashes(values + offsets[f], offsets[f + 1] - offsets[f], shortest, hashes);
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            places.push_back({hashes[i], static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(i)});
        }
    }
    std::sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
        return a.hash != b.hash ? a.hash < b.hash : a.sequence < b.sequence;
    });
    std::vector<std::uint32_t> numbers(total, none);
    std::uint32_t count = 0;
    for (std::size_t start = 0, stop = 0; start < places.size(); start = stop) {
        while (stop < places.size() && places[stop].hash == places[start].hash) {
            ++stop;
        }
        if (places[start].sequence == places[stop - 1].sequence) {
            continue;
        }
        for (std::size_t p = start; p < stop; ++p) {
            numbers[offsets[places[p].sequence] + places[p].at] = count;
        }
        ++count;
    }
    places = {};

    std::vector<std::uint32_t> heads(count, none), next;
    std::vector<Run> runs, tiles;
    for (std::size_t row = first; row < last; ++row) {
        if (std::chrono::steady_clock::now() >= end) {
            return false;
        }
        const std::uint32_t *one = values + offsets[row];
        const std::uint32_t *one_numbers = numbers.data() + offsets[row];
        const std::size_t one_length = offsets[row + 1] - offsets[row];
        next.resize(one_length);
        for (std::size_t j = one_length; j-- > 0;) {
            if (one_numbers[j] != none) {
                next[j] = heads[one_numbers[j]];
                heads[one_numbers[j]] = static_cast<std::uint32_t>(j);
            }
        }
        for (std::size_t column = row + 1; column < sequences; ++column) {
            const std::uint32_t *other = values + offsets[column];
            const std::uint32_t *other_numbers = numbers.data() + offsets[column];
            const std::size_t other_length = offsets[column + 1] - offsets[column];
            const bool row_is_left = one_length <= other_length;
            std::uint64_t steps = allowance(one_length, other_length);
            runs.clear();
            tiles.clear();
            bool enough = true;
            for (std::size_t i = 0; i < other_length && enough; ++i) {
                if (other_numbers[i] == none) {
                    continue;
                }
                for (std::uint32_t j = heads[other_numbers[i]]; j != none; j = next[j]) {
                    if (!add_run(other, other_length, i, one, one_length, j, shortest, steps, runs)) {
                        enough = false;
                        break;
                    }
                }
            }
            if (row_is_left) {
                for (Run &run : runs) {
                    std::swap(run.left, run.right);
                }
            }
            const std::uint32_t *left = row_is_left ? one : other;
            const std::uint32_t *right = row_is_left ? other : one;
            const std::size_t left_length = std::min(one_length, other_length);
            const std::size_t right_length = std::max(one_length, other_length);
            if (!enough || !tile_runs(runs, left_length, right_length, shortest, steps, tiles)) {
                tiles.clear();
                if (!tile_rounds(left, left_length, right, right_length, shortest, end, tiles)) {
                    return false;
                }
            }
            std::uint32_t sum = 0;
            for (const Run &found : tiles) {
                sum += found.length;
            }
            *sums++ = sum;
        }
        for (std::size_t j = 0; j < one_length; ++j) {
            if (one_numbers[j] != none) {
                heads[one_numbers[j]] = none;
            }
        }
    }
    return true;
}

}  // namespace cleartitle
