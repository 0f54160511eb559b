# SPDX-License-Identifier: Apache-2.0
"""Names that a program's prefix must not be: of headers that its own would hide from it or from the library, of libraries' functions
that begin with it, such as sem_open, and words of the language.
"""

C = """
assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath
threads time uchar wchar wctype
"""
POSIX = """
alloca dirent dlfcn endian fcntl features malloc memory mq mqueue pthread sched sem semaphore shm
spawn strings syslog termios unistd utime values wait
"""
WORDS = """
alignas alignof and asm auto bitand bitor bool break case catch char class compl const constexpr
continue decltype default delete do double else enum explicit export extern false for friend goto if
inline int long mutable namespace new noexcept not nullptr operator or private protected public
register requires restrict return short signed sizeof static struct switch template this throw true
try typedef typeid typename typeof union unsigned using virtual void volatile while xor
"""
# Headers of this project, beside those that begin with fp8
PROJECT = """
backend cache ceil_div choice coding convert_fp8 curve descriptor elementwise_plan fault fp32_bits
gates gemm_choose gemm_desc gemm_encode gemm_estimate gemm_image gemm_prepare gemm_regions
gemm_shape gemm_tiles host_memory integer kv_cache layer logarithm_table mapped move_copies
move_matrices move_products mx_columns network_image nonlinear_points operand_format parts plans
pooling record regions root rows_plan run soc softmax spread stamp target values window words
"""
RESERVED = frozenset(f"{C} {POSIX} {WORDS} {PROJECT}".split())
