//! Types of variables and arguments, and ranges of their values.

/// Type of a variable or argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A whole number of 8 bits with a sign.
    I8,
    /// Of 16.
    I16,
    /// Of 32.
    I32,
    /// Of 64.
    I64,
    /// A whole number of 8 bits without one.
    U8,
    /// Of 16.
    U16,
    /// Of 32.
    U32,
    /// Of 64.
    U64,
    /// A floating-point number of 32 bits.
    F32,
    /// Of 64.
    F64,
    /// One byte, 0 or 1.
    Bool,
}

impl Type {
    /// All types with their keywords.
    pub const ALL: [(Type, &str); 11] = [
        (Type::I8, "i8"),
        (Type::I16, "i16"),
        (Type::I32, "i32"),
        (Type::I64, "i64"),
        (Type::U8, "u8"),
        (Type::U16, "u16"),
        (Type::U32, "u32"),
        (Type::U64, "u64"),
        (Type::F32, "f32"),
        (Type::F64, "f64"),
        (Type::Bool, "bool"),
    ];
    /// Description of a type for error messages.
    pub const FORM: &str = "a type: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 bool, or int unsigned long float double";

    /// The type of a keyword, or of the C name that means the same on x86-64; `None` for any other word.
    pub fn new(word: &str) -> Option<Type> {
        let word = match word {
            "int" => "i32",
            "unsigned" => "u32",
            "long" => "i64",
            "float" => "f32",
            "double" => "f64",
            other => other,
        };
        Type::ALL.iter().find(|(_, name)| *name == word).map(|(kind, _)| *kind)
    }

    /// Its keyword.
    pub fn as_str(self) -> &'static str {
        Type::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Returns whether it is an integer type.
    pub fn is_whole(self) -> bool {
        !matches!(self, Type::F32 | Type::F64)
    }

    /// Its size, bytes.
    pub fn bytes(self) -> usize {
        match self {
            Type::I8 | Type::U8 | Type::Bool => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }

    /// Smallest and largest value that a tuning point of this type can have. A tuning point's value is a double, so 64-bit integers
    /// are limited to 2^53.
    pub fn holds(self) -> Span {
        let exact = (1u64 << f64::MANTISSA_DIGITS) as f64;
        let (minimum, maximum) = match self {
            Type::I8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
            Type::I16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
            Type::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            Type::I64 => (-exact, exact),
            Type::U8 => (0.0, f64::from(u8::MAX)),
            Type::U16 => (0.0, f64::from(u16::MAX)),
            Type::U32 => (0.0, f64::from(u32::MAX)),
            Type::U64 => (0.0, exact),
            Type::F32 => (f64::from(f32::MIN), f64::from(f32::MAX)),
            Type::F64 => (f64::MIN, f64::MAX),
            Type::Bool => (0.0, 1.0),
        };
        Span { minimum, maximum }
    }
}

/// Values from `minimum` to `maximum`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The smallest.
    pub minimum: f64,
    /// The largest.
    pub maximum: f64,
}

impl Span {
    /// Returns whether a variable of type `kind` can have every value of the span; for integer types the bounds must be integers.
    pub fn fits(&self, kind: Type) -> bool {
        let whole = |x: f64| !kind.is_whole() || x.fract() == 0.0;
        let all = kind.holds();
        self.minimum <= self.maximum
            && all.minimum <= self.minimum
            && self.maximum <= all.maximum
            && whole(self.minimum)
            && whole(self.maximum)
    }
}
