// Python bindings of the kernels. Every function takes contiguous arrays, checks their
// lengths, and releases the GIL while it works. No array is converted on the way in: another
// type or stride is an error, because a silent cast could change values.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "ngrams.hpp"
#include "sha1.hpp"

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
    bind_trace(module);
}
