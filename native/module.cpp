// Python bindings of the kernels. Every function takes contiguous arrays, checks their
// lengths, and releases the GIL while it works.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "ngrams.hpp"

namespace nb = nanobind;

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Tokens = Array<std::uint32_t>;
using Words = Array<std::uint64_t>;

namespace {

nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>> minhash(const Tokens &grams, const Words &a, const Words &b) {
    if (a.size() != b.size()) {
        throw std::invalid_argument("a and b must have the same length");
    }
    const std::size_t permutations = a.size();
    auto *minima = new std::uint32_t[permutations];
    nb::capsule owner(minima, [](void *p) noexcept { delete[] static_cast<std::uint32_t *>(p); });
    {
        nb::gil_scoped_release release;
        cleartitle::minhash(grams.data(), grams.size(), a.data(), b.data(), permutations, minima);
    }
    return {minima, {permutations}, owner};
}

std::size_t clipped_matches(const Tokens &reference, const Tokens &candidate, std::size_t n) {
    constexpr std::size_t limit = std::numeric_limits<std::uint32_t>::max();
    if (reference.size() >= limit || candidate.size() >= limit) {
        throw std::invalid_argument("a sequence may have at most 2^32 - 2 tokens");
    }
    nb::gil_scoped_release release;
    return cleartitle::clipped_matches(reference.data(), reference.size(), candidate.data(), candidate.size(), n);
}

}  // namespace

NB_MODULE(_native, module) {
    module.doc() = "Kernels of Cleartitle: integer arrays in, integers out.";
    module.def("minhash", &minhash, nb::arg("grams"), nb::arg("a"), nb::arg("b"),
               "Minima over `grams` (uint32) of the linear hashes (`a`, `b`: uint64), as uint32.");
    module.def("clipped_matches", &clipped_matches, nb::arg("reference"), nb::arg("candidate"), nb::arg("n"),
               "Size of the multiset intersection of the n-grams of two uint32 token arrays.");
}
