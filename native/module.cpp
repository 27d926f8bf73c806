// Python bindings of the kernels. Every function takes contiguous arrays, checks their
// lengths, and releases the GIL while it works. No array is converted on the way in: another
// type or stride is an error, because a silent cast could change values.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ngrams.hpp"
#include "runs.hpp"
#include "sha1.hpp"
#include "tiling.hpp"
#include "winnowing.hpp"

namespace nb = nanobind;

void bind_trace(nb::module_ &module);

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Result = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Tokens = Array<std::uint32_t>;
using Words = Array<std::uint64_t>;

namespace {

template <typename T>
Result<T> as_array(std::unique_ptr<T[]> values, std::size_t size) {
    nb::capsule owner(values.get(), [](void *p) noexcept { delete[] static_cast<T *>(p); });
    return {values.release(), {size}, owner};
}

Result<std::uint32_t> minhash(const Tokens &grams, const Words &a, const Words &b) {
    if (a.size() != b.size()) {
        throw std::invalid_argument("a and b must have the same length");
    }
    const std::size_t permutations = a.size();
    auto minima = std::make_unique<std::uint32_t[]>(permutations);
    {
        nb::gil_scoped_release release;
        cleartitle::minhash(grams.data(), grams.size(), a.data(), b.data(), permutations, minima.get());
    }
    return as_array(std::move(minima), permutations);
}

Result<std::uint64_t> clipped_matches(const Tokens &reference, const Tokens &candidate, std::size_t orders) {
    constexpr std::size_t limit = std::numeric_limits<std::uint32_t>::max();
    constexpr std::size_t longest_gram = 64;
    if (reference.size() >= limit || candidate.size() >= limit) {
        throw std::invalid_argument("a sequence may have at most 2^32 - 2 tokens");
    }
    if (orders > longest_gram) {
        throw std::invalid_argument("grams may have at most 64 tokens");
    }
    auto matches = std::make_unique<std::uint64_t[]>(orders);
    {
        nb::gil_scoped_release release;
        cleartitle::clipped_matches(reference.data(), reference.size(), candidate.data(), candidate.size(), orders,
                                    matches.get());
    }
    return as_array(std::move(matches), orders);
}

Result<std::uint32_t> gram_hashes(const nb::bytes &text, const Words &starts, const Words &ends, std::size_t n) {
    if (starts.size() != ends.size()) {
        throw std::invalid_argument("starts and ends must have the same length");
    }
    if (n == 0) {
        throw std::invalid_argument("a gram has at least one word");
    }
    const auto *data = static_cast<const std::uint8_t *>(text.data());
    const std::size_t size = text.size();
    const std::size_t count = starts.size() < n ? 0 : starts.size() - n + 1;
    auto hashes = std::make_unique<std::uint32_t[]>(count);
    {
        nb::gil_scoped_release release;
        for (std::size_t word = 0; word < starts.size(); ++word) {
            const bool ordered = word == 0 || starts.data()[word] >= ends.data()[word - 1];
            if (!ordered || starts.data()[word] > ends.data()[word] || ends.data()[word] > size) {
                throw std::out_of_range("words must be in order and within the text");
            }
        }
        cleartitle::sha1_prefixes(data, starts.data(), ends.data() + (n - 1), count, hashes.get());
    }
    return as_array(std::move(hashes), count);
}

using Table = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>>;

constexpr std::size_t too_long = std::numeric_limits<std::uint32_t>::max();

template <typename Row>
Table as_table(const std::vector<Row> &rows) {
    constexpr std::size_t columns = sizeof(Row) / sizeof(std::uint32_t);
    static_assert(sizeof(Row) == columns * sizeof(std::uint32_t));
    auto values = std::make_unique<std::uint32_t[]>(rows.size() * columns);
    if (!rows.empty()) {
        std::memcpy(values.get(), rows.data(), rows.size() * sizeof(Row));
    }
    nb::capsule owner(values.get(), [](void *p) noexcept { delete[] static_cast<std::uint32_t *>(p); });
    return {values.release(), {rows.size(), columns}, owner};
}

void check_length(std::size_t length) {
    if (length >= too_long) {
        throw std::invalid_argument("a sequence may have at most 2^32 - 2 values");
    }
}

void check_positive(std::size_t value, const char *message) {
    if (value == 0) {
        throw std::invalid_argument(message);
    }
}

cleartitle::Instant end_after(double seconds) {
    if (std::isnan(seconds) || seconds < 0) {
        throw std::invalid_argument("seconds must be at least 0");
    }
    const auto now = std::chrono::steady_clock::now();
    constexpr double century = 3.2e9;
    const std::chrono::duration<double> wait(seconds < century ? seconds : century);
    return now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
}

// Offsets of sequences: they begin at 0, never fall, and end at the number of values.
std::size_t check_offsets(const Words &offsets, std::size_t values, std::size_t first, std::size_t last) {
    check_length(values);
    if (offsets.size() == 0 || offsets.data()[0] != 0 || offsets.data()[offsets.size() - 1] != values) {
        throw std::invalid_argument("offsets must begin at 0 and end at the number of values");
    }
    for (std::size_t f = 1; f < offsets.size(); ++f) {
        if (offsets.data()[f] < offsets.data()[f - 1]) {
            throw std::invalid_argument("offsets must not fall");
        }
    }
    const std::size_t sequences = offsets.size() - 1;
    if (first > last || last > sequences) {
        throw std::out_of_range("first and last must be rows of the sequences");
    }
    return sequences;
}

std::size_t pairs_of_rows(std::size_t sequences, std::size_t first, std::size_t last) {
    std::size_t pairs = 0;
    for (std::size_t row = first; row < last; ++row) {
        pairs += sequences - row - 1;
    }
    return pairs;
}

std::optional<Table> tile(const Tokens &left, const Tokens &right, std::size_t shortest, double seconds) {
    check_length(left.size());
    check_length(right.size());
    check_positive(shortest, "a tile has at least one value");
    const auto end = end_after(seconds);
    std::vector<cleartitle::Run> tiles;
    bool finished = false;
    {
        nb::gil_scoped_release release;
        finished = cleartitle::tile(left.data(), left.size(), right.data(), right.size(), shortest, end, tiles);
    }
    return finished ? std::optional(as_table(tiles)) : std::nullopt;
}

std::optional<Table> tile_rounds(const Tokens &left, const Tokens &right, std::size_t shortest, double seconds) {
    check_length(left.size());
    check_length(right.size());
    check_positive(shortest, "a tile has at least one value");
    const auto end = end_after(seconds);
    std::vector<cleartitle::Run> tiles;
    bool finished = false;
    {
        nb::gil_scoped_release release;
        finished = cleartitle::tile_rounds(left.data(), left.size(), right.data(), right.size(), shortest, end, tiles);
    }
    return finished ? std::optional(as_table(tiles)) : std::nullopt;
}

std::optional<Result<std::uint32_t>> tile_pairs(const Tokens &values, const Words &offsets, std::size_t shortest,
                                                std::size_t first, std::size_t last, double seconds) {
    const std::size_t sequences = check_offsets(offsets, values.size(), first, last);
    check_positive(shortest, "a tile has at least one value");
    const auto end = end_after(seconds);
    const std::size_t pairs = pairs_of_rows(sequences, first, last);
    auto sums = std::make_unique<std::uint32_t[]>(pairs);
    bool finished = false;
    {
        nb::gil_scoped_release release;
        finished = cleartitle::tile_pairs(values.data(), offsets.data(), sequences, first, last, shortest, end,
                                          sums.get());
    }
    return finished ? std::optional(as_array(std::move(sums), pairs)) : std::nullopt;
}

std::optional<Table> equal_runs(const Tokens &left, const Tokens &right, std::size_t shortest, std::uint64_t steps) {
    check_length(left.size());
    check_length(right.size());
    check_positive(shortest, "a run has at least one value");
    std::vector<cleartitle::Run> runs;
    bool finished = false;
    {
        nb::gil_scoped_release release;
        finished =
            cleartitle::equal_runs(left.data(), left.size(), right.data(), right.size(), shortest, steps, runs);
    }
    return finished ? std::optional(as_table(runs)) : std::nullopt;
}

Table winnow(const Tokens &values, std::size_t k, std::size_t window) {
    check_length(values.size());
    check_positive(k, "a gram has at least one value");
    check_positive(window, "a window has at least one gram");
    std::vector<cleartitle::Fingerprint> fingerprints;
    {
        nb::gil_scoped_release release;
        cleartitle::winnow(values.data(), values.size(), k, window, fingerprints);
    }
    return as_table(fingerprints);
}

Table shared_counts(const Tokens &hashes, const Words &offsets, std::size_t first, std::size_t last) {
    struct Pair {
        std::uint32_t first;
        std::uint32_t second;
    };
    const std::size_t sequences = check_offsets(offsets, hashes.size(), first, last);
    std::vector<Pair> counts(pairs_of_rows(sequences, first, last));
    {
        nb::gil_scoped_release release;
        cleartitle::shared_counts(hashes.data(), offsets.data(), sequences, first, last,
                                  reinterpret_cast<std::uint32_t *>(counts.data()));
    }
    return as_table(counts);
}

}  // namespace

NB_MODULE(_native, module) {
    module.doc() = "Kernels of Cleartitle: integer arrays in, integers out.";
    module.def("minhash", &minhash, nb::arg("grams").noconvert(), nb::arg("a").noconvert(), nb::arg("b").noconvert(),
               "Minima over `grams` (uint32) of the linear hashes (`a`, `b`: uint64), as uint32.");
    module.def("clipped_matches", &clipped_matches, nb::arg("reference").noconvert(),
               nb::arg("candidate").noconvert(), nb::arg("orders"),
               "For n = 1 to `orders`: size of the multiset intersection of the n-grams of two uint32 token arrays.");
    module.def("gram_hashes", &gram_hashes, nb::arg("text"), nb::arg("starts").noconvert(),
               nb::arg("ends").noconvert(), nb::arg("n"),
               "First four bytes (little-endian uint32) of the SHA-1 of each run of n words of `text`, a word being "
               "the bytes from starts[i] to ends[i] (uint64, in order), with what lies between them.");
    module.def("equal_runs", &equal_runs, nb::arg("left").noconvert(), nb::arg("right").noconvert(),
               nb::arg("shortest"), nb::arg("steps"),
               "Rows (left, right, length) of all runs of at least `shortest` equal values of two uint32 arrays that "
               "cannot be made longer, by place; None when `steps` pairs of places did not suffice.");
    module.def("tile", &tile, nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("shortest"),
               nb::arg("seconds"),
               "Greedy string tiling of two uint32 arrays: rows (left, right, length) in the order in which they were "
               "taken, the longest first; None when `seconds` did not suffice.");
    module.def("tile_rounds", &tile_rounds, nb::arg("left").noconvert(), nb::arg("right").noconvert(),
               nb::arg("shortest"), nb::arg("seconds"),
               "The same as `tile` in rounds of linear time, which `tile` takes for input with very many runs.");
    module.def("tile_pairs", &tile_pairs, nb::arg("values").noconvert(), nb::arg("offsets").noconvert(),
               nb::arg("shortest"), nb::arg("first"), nb::arg("last"), nb::arg("seconds"),
               "Values covered by the tiles of each pair of sequences (uint32, offsets uint64) whose first member is "
               "in first..last, row by row; None when `seconds` did not suffice.");
    module.def("winnow", &winnow, nb::arg("values").noconvert(), nb::arg("k"), nb::arg("window"),
               "Rows (hash, start) of the winnowed hashes of runs of `k` values (uint32).");
    module.def("shared_counts", &shared_counts, nb::arg("hashes").noconvert(), nb::arg("offsets").noconvert(),
               nb::arg("first"), nb::arg("last"),
               "For each pair of sequences (uint32, offsets uint64) whose first member is in first..last, row by row: "
               "how many values of the one occur in the other, and the reverse.");
    bind_trace(module);
}
