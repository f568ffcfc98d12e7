//! The types of the elements of buffers.

/// The type of the elements of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Element {
    /// `float`
    F32,
    /// `double`
    F64,
    /// `__half`, of `cuda_fp16.h`
    F16,
    /// `__nv_bfloat16`, of `cuda_bf16.h`
    Bf16,
    /// `signed char`
    I8,
    /// `unsigned char`
    U8,
    /// `short`
    I16,
    /// `unsigned short`
    U16,
    /// `int`
    I32,
    /// `unsigned`
    U32,
    /// `long long`
    I64,
}

impl Element {
    /// All element types.
    pub const ALL: [Element; 11] = [
        Element::F32,
        Element::F64,
        Element::F16,
        Element::Bf16,
        Element::I8,
        Element::U8,
        Element::I16,
        Element::U16,
        Element::I32,
        Element::U32,
        Element::I64,
    ];

    /// The size in bytes.
    pub fn bytes(self) -> i64 {
        match self {
            Element::I8 | Element::U8 => 1,
            Element::F16 | Element::Bf16 | Element::I16 | Element::U16 => 2,
            Element::F32 | Element::I32 | Element::U32 => 4,
            Element::F64 | Element::I64 => 8,
        }
    }

    /// The name of the type in CUDA.
    pub fn c_name(self) -> &'static str {
        match self {
            Element::F32 => "float",
            Element::F64 => "double",
            Element::F16 => "__half",
            Element::Bf16 => "__nv_bfloat16",
            Element::I8 => "signed char",
            Element::U8 => "unsigned char",
            Element::I16 => "short",
            Element::U16 => "unsigned short",
            Element::I32 => "int",
            Element::U32 => "unsigned",
            Element::I64 => "long long",
        }
    }

    /// The type with this CUDA name.
    ///
    /// ```
    /// use quaff::emit::Element;
    /// assert_eq!(Element::named("half"), Some(Element::F16));
    /// assert_eq!(Element::named("float4"), None);
    /// ```
    pub fn named(name: &str) -> Option<Element> {
        match name.trim() {
            "half" => Some(Element::F16),
            "unsigned int" => Some(Element::U32),
            name => Element::ALL.into_iter().find(|e| e.c_name() == name),
        }
    }

    /// The CUDA type of `lanes` elements that one instruction reads or writes. `None` when CUDA has no such type.
    ///
    /// ```
    /// use quaff::emit::Element;
    /// assert_eq!(Element::F32.vector(4), Some("float4"));
    /// assert_eq!(Element::F16.vector(8), Some("uint4"));
    /// assert_eq!(Element::F64.vector(4), None);
    /// ```
    pub fn vector(self, lanes: i64) -> Option<&'static str> {
        match (self, lanes, lanes.checked_mul(self.bytes())?) {
            (Element::F32, 2, _) => Some("float2"),
            (Element::F32, 4, _) => Some("float4"),
            (Element::F64, 2, _) => Some("double2"),
            (Element::I32, 2, _) => Some("int2"),
            (Element::I32, 4, _) => Some("int4"),
            // for other elements, any type of that size is used, because values are not changed
            (_, 2.., 2) => Some("unsigned short"),
            (_, 2.., 4) => Some("unsigned"),
            (_, 2.., 8) => Some("uint2"),
            (_, 2.., 16) => Some("uint4"),
            _ => None,
        }
    }

    /// The header that defines the type, if it is not built in.
    pub fn header(self) -> Option<&'static str> {
        match self {
            Element::F16 => Some("cuda_fp16.h"),
            Element::Bf16 => Some("cuda_bf16.h"),
            _ => None,
        }
    }
}
