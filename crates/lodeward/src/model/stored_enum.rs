//! Defines enums whose variants are stored by number and shown by name.
//!
//! The frontier and the segments store a variant by its position (postcard), so a position must never change: append
//! new variants with the next number, and never reorder or remove one. JSON files and reports use the name.

/// Defines an enum from its variants, each with a number and a name: `Variant = 0 "name"`. The numbers count from 0;
/// the name is also the name in JSON.
macro_rules! stored_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $number:literal $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$variant_meta])* #[serde(rename = $text)] $variant = $number,)+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub(crate) const ALL: [Self; [$($text,)+].len()] = [$(Self::$variant,)+];

            /// The name used in reports and on the command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        const _: () = {
            let mut position = 0;
            while position < $name::ALL.len() {
                assert!($name::ALL[position] as usize == position, "a number differs from the position of its variant");
                position += 1;
            }
        };
    };
}

pub(super) use stored_enum;
