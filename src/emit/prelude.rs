//! The helper definitions that C and CUDA text may need.

/// The preparation of a divisor on the host, after Granlund and Montgomery 1994. The quotient `x*m >> (32+s)` with
/// `m = ceil(2^(32+s) / d)` and `s = ceil(log2 d) - 1` is exact for 31-bit dividends. With a shift that is greater by
/// 1, it is exact for all dividends, but `m` has 33 bits. The device code adds the 33rd bit.
pub(super) const FAST_DIVMOD: &str = "\
typedef struct { unsigned m, s; } quaff_fastdivmod_t;
";

pub(super) const FAST_DIVMOD_SETUP: &str = "\
/* for 2 <= d < 2^31 and 0 <= x < 2^31: x / d == __umulhi(x, m) >> s */
static inline quaff_fastdivmod_t quaff_fastdivmod(unsigned d) {
  quaff_fastdivmod_t f;
  unsigned s = 0;
  while ((2u << s) < d) ++s;
  f.m = (unsigned)(((1ull << (32 + s)) + d - 1) / d);
  f.s = s;
  return f;
}
";

pub(super) const FAST_DIVMOD_ANY_SETUP: &str = "\
/* for 1 <= d < 2^31 and 0 <= x < 2^31: x / d == (__umulhi(x, m) + x) >> s */
static inline quaff_fastdivmod_t quaff_fastdivmod_any(unsigned d) {
  quaff_fastdivmod_t f;
  unsigned s = 0;
  while ((1u << s) < d) ++s;
  f.m = (unsigned)((((unsigned long long)((1u << s) - d) << 32) + d - 1) / d);
  f.s = s;
  return f;
}
";

pub(super) const UMULHI: &str = "\
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
";

pub(super) const UMUL64HI: &str = "\
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  unsigned long long al = (unsigned)a, ah = a >> 32, bl = (unsigned)b, bh = b >> 32;
  unsigned long long m = ah * bl + (al * bl >> 32), n = al * bh + (unsigned)m;
  return ah * bh + (m >> 32) + (n >> 32);
}
";
