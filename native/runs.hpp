#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cleartitle {

// A stretch of equal values: left[left .. left+length) == right[right .. right+length).
struct Run {
    std::uint32_t left;
    std::uint32_t right;
    std::uint32_t length;
};

// Order in which greedy string tiling takes runs: the longest first, then by place.
inline bool comes_later(const Run &one, const Run &other) {
    if (one.length != other.length) {
        return one.length < other.length;
    }
    return one.left != other.left ? one.left > other.left : one.right > other.right;
}

// Appends the run that begins at these two places, where `shortest` values seem to be equal, unless it is the rest of
// a longer one. Takes one step, and one for each value compared; false when `steps` did not suffice.
bool add_run(const std::uint32_t *left, std::size_t left_length, std::size_t i, const std::uint32_t *right,
             std::size_t right_length, std::size_t j, std::size_t shortest, std::uint64_t &steps,
             std::vector<Run> &runs);

// Appends to `runs` every run of at least `shortest` (>= 1) values that cannot be made longer on either side, by left
// and then by right place. False when `steps` did not suffice, with `runs` incomplete; see `add_run`.
bool equal_runs(const std::uint32_t *left, std::size_t left_length, const std::uint32_t *right,
                std::size_t right_length, std::size_t shortest, std::uint64_t &steps, std::vector<Run> &runs);

// Hashes of all windows of `width` values (>= 1); equal windows have equal hashes, the reverse is likely only.
void window_hashes(const std::uint32_t *values, std::size_t length, std::size_t width,
                   std::vector<std::uint64_t> &hashes);

}  // namespace cleartitle
