#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runs.hpp"

namespace cleartitle {

using Instant = std::chrono::steady_clock::time_point;

// Greedy string tiling (Wise 1993): the longest run of equal values that no tile covers becomes a tile, of equally
// long ones the first by left and then by right place, until none of `shortest` (>= 1) values is left. Tiles come in
// the order in which they were taken. False when time was over before the end.
bool tile(const std::uint32_t *left, std::size_t left_length, const std::uint32_t *right, std::size_t right_length,
          std::size_t shortest, Instant end, std::vector<Run> &tiles);

// The same result from the runs of `equal_runs`, within `steps`; false when they did not suffice. Empties `runs`.
bool tile_runs(std::vector<Run> &runs, std::size_t left_length, std::size_t right_length, std::size_t shortest,
               std::uint64_t &steps, std::vector<Run> &tiles);

// The same result in rounds of linear time, one for each length of a tile: for input with too many runs.
bool tile_rounds(const std::uint32_t *left, std::size_t left_length, const std::uint32_t *right,
                 std::size_t right_length, std::size_t shortest, Instant end, std::vector<Run> &tiles);

// Sums of tile lengths for each pair of the sequences `values[offsets[f] .. offsets[f+1])` whose first member is
// `first` to `last` - 1 and whose second one comes after it, row by row. The shorter sequence is the left one, of
// equally long ones the earlier. False when time was over.
bool tile_pairs(const std::uint32_t *values, const std::uint64_t *offsets, std::size_t sequences, std::size_t first,
                std::size_t last, std::size_t shortest, Instant end, std::uint32_t *sums);

}  // namespace cleartitle
