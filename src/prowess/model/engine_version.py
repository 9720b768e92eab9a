"""The version of the numeric engine; services rate their leagues again when it has changed."""

# Raise this number by one in every release in which the same matches give ratings with other bits, even if only the
# last digit differs: after a change to a formula, to the order of operations, or to `exp`, `log` or another function
# that the kernels call. Do not raise it for a faster engine with identical bits. Services store the number with the
# ratings. If it differs, they derive the ratings again from the journal, because ratings of two versions must not mix.
#
# Version 1 used `exp` and `log` of the platform's C library. Version 2 has its own, with the same bits everywhere.
ENGINE_VERSION = 2
