//! The reserved words of each language, one table for each. In a text of the language, no variable may have such a
//! name.
//!
//! A word is in a table for one of three reasons:
//! - The language does not accept the word as an identifier.
//! - A macro of a commonly included header would replace the word.
//! - The printed text itself, or code that usually surrounds such text, uses the word.

use super::sympy::SYMPY_NAMES;
use crate::expr::name::{is_readable, is_word};
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// The reserved words of a language.
#[derive(Debug)]
pub struct Words {
    lists: &'static [&'static str],
    beginnings: Beginnings,
    /// Whether the language accepts names with dots, such as `shape.x`.
    has_dots: bool,
    set: OnceLock<FxHashSet<&'static str>>,
}

/// The reserved beginnings of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beginnings {
    None,
    /// Names that begin with two underscores, or one and a capital, belong to the compiler (C11 7.1.3). Names that
    /// begin with `quaff_` belong to the functions that a printed text defines itself.
    C,
    /// Names that begin with two underscores, which Python mangles inside of classes.
    Python,
}

/// The words of infix texts and s-expressions. Every name that these notations can read is allowed, so the list is
/// empty.
pub static INFIX: Words = Words::with_dots(&[]);
/// C, which is often compiled as C++.
pub static C: Words =
    Words::new(&[C_KEYWORDS, CPP_KEYWORDS, C_MACROS, C_SYSTEM_MACROS, C_ERRORS, C_TYPES, C_FUNCTIONS], Beginnings::C);
/// CUDA C++.
pub static CUDA: Words = Words::new(
    &[
        C_KEYWORDS,
        CPP_KEYWORDS,
        C_MACROS,
        C_SYSTEM_MACROS,
        C_ERRORS,
        C_TYPES,
        C_FUNCTIONS,
        CUDA_TYPES,
        CUDA_HALVES,
        CUDA_FUNCTIONS,
    ],
    Beginnings::C,
);
/// Halide, in C++.
pub static HALIDE: Words = Words::new(
    &[C_KEYWORDS, CPP_KEYWORDS, C_MACROS, C_SYSTEM_MACROS, C_ERRORS, C_TYPES, C_FUNCTIONS, HALIDE_CALLS],
    Beginnings::C,
);
/// Python.
pub static PYTHON: Words = Words::new(&[PYTHON_WORDS, PYTHON_MODULES], Beginnings::Python);
/// Triton.
pub static TRITON: Words = Words::new(&[PYTHON_WORDS, PYTHON_MODULES, TRITON_MODULES], Beginnings::Python);
/// Texts of Inductor and TVM script.
pub static INDUCTOR: Words = Words::new(&[PYTHON_WORDS, PYTHON_MODULES, TRITON_MODULES, EMBEDDED], Beginnings::Python);
/// sympy, with all of its names imported.
pub static SYMPY: Words = Words::new(&[PYTHON_WORDS, PYTHON_MODULES, SYMPY_NAMES], Beginnings::Python);
/// Rust.
pub static RUST: Words = Words::new(&[RUST_KEYWORDS, RUST_TYPES, RUST_PRELUDE], Beginnings::None);
/// MLIR.
pub static MLIR: Words = Words::with_dots(&[AFFINE_WORDS]);
/// Indexing maps of XLA.
pub static XLA: Words = Words::new(&[AFFINE_WORDS], Beginnings::None);

impl Words {
    const fn new(lists: &'static [&'static str], beginnings: Beginnings) -> Words {
        Words { lists, beginnings, has_dots: false, set: OnceLock::new() }
    }

    const fn with_dots(lists: &'static [&'static str]) -> Words {
        Words { lists, beginnings: Beginnings::None, has_dots: true, set: OnceLock::new() }
    }

    /// The words, in the order of the tables. A word may be in several tables.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.lists.iter().flat_map(|list| list.split_whitespace())
    }

    /// Whether no variable may have the name `name`. The characters of the name are not checked. Constant time on
    /// average.
    ///
    /// Every reserved name either is in a table or does not begin with `v`. So there is always a free name that begins
    /// with `v`.
    ///
    /// ```
    /// use quaff_expr::names::{C, PYTHON};
    ///
    /// assert!(C.reserves("float") && C.reserves("_X") && C.reserves("INT_MAX") && !C.reserves("in_ptr0"));
    /// assert!(PYTHON.reserves("lambda") && !PYTHON.reserves("float4"));
    /// ```
    pub fn reserves(&self, name: &str) -> bool {
        self.set.get_or_init(|| self.iter().collect()).contains(name) || self.reserves_beginning(name)
    }

    /// Whether the beginning of `name` is reserved.
    pub(super) fn reserves_beginning(&self, name: &str) -> bool {
        match self.beginnings {
            Beginnings::None => false,
            Beginnings::C => {
                let after = name.strip_prefix('_');
                after.is_some_and(|n| n.starts_with(|c: char| c == '_' || c.is_ascii_uppercase()))
                    || name.starts_with("quaff_")
            }
            Beginnings::Python => name.starts_with("__"),
        }
    }

    /// Whether a variable can have the name `name`. The name must be an identifier of the language, must not be
    /// reserved there, and must be readable in expressions.
    ///
    /// ```
    /// use quaff_expr::names::{INFIX, XLA};
    ///
    /// assert!(INFIX.takes("shape.x") && !XLA.takes("shape.x") && !INFIX.takes("9a") && !XLA.takes("mod"));
    /// ```
    pub fn takes(&self, name: &str) -> bool {
        (is_identifier(name) || self.has_dots) && is_readable(name) && !self.reserves(name)
    }
}

/// Whether `name` consists of letters, digits and `_`, and begins with no digit. Such a name is an identifier of every
/// language unless it is reserved.
pub fn is_identifier(name: &str) -> bool {
    name.bytes().all(is_word) && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
}

/// The keywords of C: C11 6.4.1 and those of C23. Keywords with an underscore and a capital are covered by the reserved
/// beginnings.
const C_KEYWORDS: &str = "\
    alignas alignof asm auto bool break case char const constexpr continue default do double else enum extern false \
    float for goto if inline int long nullptr register restrict return short signed sizeof static static_assert \
    struct switch thread_local true typedef typeof typeof_unqual union unsigned void volatile while";

/// Keywords and alternative tokens of C++23 (lex.key, lex.digraph): C text is often compiled as C++.
const CPP_KEYWORDS: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class \
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype \
    default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline \
    int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch \
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile \
    wchar_t while xor xor_eq";

/// The macros without parameters of the C11 headers that index code includes: `stddef`, `stdint`, `limits`, `float`,
/// `math`, `stdio`, `stdlib`, `errno`. The macros of `complex.h` are left out, because `I` is a usual name of an index.
const C_MACROS: &str = "\
    BUFSIZ CHAR_BIT CHAR_MAX CHAR_MIN DBL_DECIMAL_DIG DBL_DIG DBL_EPSILON DBL_HAS_SUBNORM DBL_MANT_DIG DBL_MAX \
    DBL_MAX_10_EXP DBL_MAX_EXP DBL_MIN DBL_MIN_10_EXP DBL_MIN_EXP DBL_TRUE_MIN DECIMAL_DIG EDOM EILSEQ EOF ERANGE \
    EXIT_FAILURE EXIT_SUCCESS FILENAME_MAX FLT_DECIMAL_DIG FLT_DIG FLT_EPSILON FLT_EVAL_METHOD FLT_HAS_SUBNORM \
    FLT_MANT_DIG FLT_MAX FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP FLT_RADIX FLT_ROUNDS \
    FLT_TRUE_MIN FOPEN_MAX FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL \
    HUGE_VALF HUGE_VALL INFINITY INT16_MAX INT16_MIN INT32_MAX INT32_MIN INT64_MAX INT64_MIN INT8_MAX INT8_MIN \
    INTMAX_MAX INTMAX_MIN INTPTR_MAX INTPTR_MIN INT_FAST16_MAX INT_FAST16_MIN INT_FAST32_MAX INT_FAST32_MIN \
    INT_FAST64_MAX INT_FAST64_MIN INT_FAST8_MAX INT_FAST8_MIN INT_LEAST16_MAX INT_LEAST16_MIN INT_LEAST32_MAX \
    INT_LEAST32_MIN INT_LEAST64_MAX INT_LEAST64_MIN INT_LEAST8_MAX INT_LEAST8_MIN INT_MAX INT_MIN \
    LDBL_DECIMAL_DIG LDBL_DIG LDBL_EPSILON LDBL_HAS_SUBNORM LDBL_MANT_DIG LDBL_MAX LDBL_MAX_10_EXP LDBL_MAX_EXP \
    LDBL_MIN LDBL_MIN_10_EXP LDBL_MIN_EXP LDBL_TRUE_MIN LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN L_tmpnam \
    MATH_ERREXCEPT MATH_ERRNO MB_CUR_MAX MB_LEN_MAX NAN NULL PTRDIFF_MAX PTRDIFF_MIN RAND_MAX SCHAR_MAX \
    SCHAR_MIN SEEK_CUR SEEK_END SEEK_SET SHRT_MAX SHRT_MIN SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIZE_MAX TMP_MAX \
    UCHAR_MAX UINT16_MAX UINT32_MAX UINT64_MAX UINT8_MAX UINTMAX_MAX UINTPTR_MAX UINT_FAST16_MAX UINT_FAST32_MAX \
    UINT_FAST64_MAX UINT_FAST8_MAX UINT_LEAST16_MAX UINT_LEAST32_MAX UINT_LEAST64_MAX UINT_LEAST8_MAX UINT_MAX \
    ULLONG_MAX ULONG_MAX USHRT_MAX WCHAR_MAX WCHAR_MIN WINT_MAX WINT_MIN errno math_errhandling stderr stdin \
    stdout";

/// Macros that GNU C defines without a header, or that POSIX defines in the headers above.
const C_SYSTEM_MACROS: &str = "\
    AIO_PRIO_DELTA_MAX BC_BASE_MAX BC_DIM_MAX BC_SCALE_MAX BC_STRING_MAX BIG_ENDIAN BYTE_ORDER CHARCLASS_NAME_MAX \
    COLL_WEIGHTS_MAX DELAYTIMER_MAX EXPR_NEST_MAX FD_SETSIZE HOST_NAME_MAX LINE_MAX LITTLE_ENDIAN LOGIN_NAME_MAX \
    L_ctermid MAXFLOAT MAX_CANON MAX_INPUT MQ_PRIO_MAX M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E \
    M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAME_MAX NFDBITS NGROUPS_MAX PATH_MAX PDP_ENDIAN PIPE_BUF \
    PTHREAD_DESTRUCTOR_ITERATIONS PTHREAD_KEYS_MAX PTHREAD_STACK_MIN P_tmpdir RE_DUP_MAX RTSIG_MAX SEM_VALUE_MAX \
    SSIZE_MAX TTY_NAME_MAX WCONTINUED WEXITED WNOHANG WNOWAIT WSTOPPED WUNTRACED XATTR_LIST_MAX XATTR_NAME_MAX \
    XATTR_SIZE_MAX i386 linux unix";

/// The error numbers of POSIX and Linux.
const C_ERRORS: &str = "\
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR \
    EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK \
    EDEADLOCK EDESTADDRREQ EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EINPROGRESS \
    EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST \
    ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG \
    ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK \
    ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR \
    ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM \
    EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN \
    ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS \
    EWOULDBLOCK EXDEV EXFULL";

/// The types of `stddef.h` and `stdint.h`.
const C_TYPES: &str = "\
    int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t int_fast64_t int_fast8_t int_least16_t int_least32_t \
    int_least64_t int_least8_t intmax_t intptr_t max_align_t nullptr_t ptrdiff_t size_t uint16_t uint32_t \
    uint64_t uint8_t uint_fast16_t uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t \
    uint_least64_t uint_least8_t uintmax_t uintptr_t";

/// Functions that C text calls, and names that must not be redefined.
const C_FUNCTIONS: &str = "\
    abs main max min";

/// The variables and types that CUDA C++ defines without a header: CUDA C++ Programming Guide, *C++ Language
/// Extensions*.
const CUDA_TYPES: &str = "\
    blockDim blockIdx char1 char2 char3 char4 dim3 double1 double2 double3 double4 float1 float2 float3 float4 \
    gridDim int1 int2 int3 int4 long1 long2 long3 long4 longlong1 longlong2 longlong3 longlong4 short1 short2 \
    short3 short4 threadIdx uchar1 uchar2 uchar3 uchar4 uint1 uint2 uint3 uint4 ulong1 ulong2 ulong3 ulong4 \
    ulonglong1 ulonglong2 ulonglong3 ulonglong4 ushort1 ushort2 ushort3 ushort4 warpSize";

/// The types of `cuda_fp16.h` and `cuda_bf16.h`. Types with two underscores are covered by the reserved beginnings.
const CUDA_HALVES: &str = "\
    half half2 nv_bfloat16 nv_bfloat162 nv_half nv_half2";

/// The functions in the chapter *C++ Language Extensions* of the CUDA guide. Functions with two underscores are covered
/// by the reserved beginnings.
const CUDA_FUNCTIONS: &str = "\
    alloca assert atomicAdd atomicAdd_block atomicAdd_system atomicAnd atomicAnd_block atomicAnd_system atomicCAS \
    atomicCAS_block atomicCAS_system atomicDec atomicDec_block atomicDec_system atomicExch atomicExch_block \
    atomicExch_system atomicInc atomicInc_block atomicInc_system atomicMax atomicMax_block atomicMax_system \
    atomicMin atomicMin_block atomicMin_system atomicOr atomicOr_block atomicOr_system atomicSub atomicSub_block \
    atomicSub_system atomicXor atomicXor_block atomicXor_system clock clock64 free llmax llmin malloc max memcpy \
    memset min printf ullmax ullmin umax umin";

/// The words of Python 3: `keyword.kwlist` and `dir(builtins)` of 3.8 to 3.14. Words with two underscores are covered
/// by the reserved beginnings.
const PYTHON_WORDS: &str = "\
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError \
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError \
    ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception \
    ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit \
    IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError \
    KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError \
    NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError \
    ProcessLookupError PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError \
    RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError \
    TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError \
    UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError abs aiter \
    all and anext any as ascii assert async await bin bool break breakpoint bytearray bytes callable chr class \
    classmethod compile complex continue copyright credits def del delattr dict dir divmod elif else enumerate \
    eval except exec exit filter finally float for format from frozenset getattr global globals hasattr hash \
    help hex id if import in input int is isinstance issubclass iter lambda len license list locals map max \
    memoryview min next nonlocal not object oct open or ord pass pow print property quit raise range repr return \
    reversed round set setattr slice sorted staticmethod str sum super try tuple type vars while with yield zip";

/// The modules that index code in Python uses.
const PYTHON_MODULES: &str = "\
    math np numpy";

/// The modules that Triton code imports.
const TRITON_MODULES: &str = "\
    tl triton";

/// The modules and functions of other languages embedded in Python: TVM script and texts of Inductor.
const EMBEDDED: &str = "\
    CleanDiv CeilDiv FloorDiv Identity Mod ModularIndexing T Where tir tvm";

/// The keywords of Rust up to edition 2024, strict and reserved, and the wildcard.
const RUST_KEYWORDS: &str = "\
    Self _ abstract as async await become box break const continue crate do dyn else enum extern false final fn for \
    gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait \
    true try type typeof union unsafe unsized use virtual where while yield";

/// The primitive types of Rust.
const RUST_TYPES: &str = "\
    bool char f16 f32 f64 f128 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize";

/// The names of the prelude of `std` up to edition 2024. In a pattern, a name that is a constructor cannot be a
/// variable.
const RUST_PRELUDE: &str = "\
    AsMut AsRef Box Clone Copy Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From \
    FromIterator Future Into IntoFuture IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result \
    Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec align_of align_of_val drop size_of \
    size_of_val";

/// The functions and types that Halide code uses.
const HALIDE_CALLS: &str = "Expr cast clamp likely select";

/// The operators of MLIR and XLA, and the words of their maps.
const AFFINE_WORDS: &str =
    "affine_map affine_set ceildiv domain false floordiv in is_simplified max min mod symbol true";
