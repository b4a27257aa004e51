//! Names at their limits, and bytes that are no object. Real objects are in `tests/diagnostics`.

use proptest::prelude::*;

use super::*;

#[test]
fn names_are_spelled_out_as_linkers_do() {
    for (raw, spelled) in [
        ("_ZN3lib1fEi", "lib::f(int)"),
        ("_ZTVN3lib1VE", "vtable for lib::V"),
        ("_ZTIN3lib1VE", "typeinfo for lib::V"),
        ("_ZTSN3lib1VE", "typeinfo name for lib::V"),
        ("_ZTTN3lib1VE", "VTT for lib::V"),
        ("_ZN3lib1fEi.constprop.0", "lib::f(int)"),
        ("main", "main"),
        ("_Z", "_Z"),
        ("_Znonsense", "_Znonsense"),
        ("", ""),
    ] {
        assert_eq!(demangled(raw), spelled, "{raw}");
    }
}

#[test]
fn a_short_name_for_a_long_text_stays_as_it_is() {
    // Each pair holds the one before it twice.
    let mut raw = "_Z1f1AIiS_IiiEE".to_owned();
    for at in 0..30_u32 {
        let last = char::from_digit(at % 36, 36).unwrap().to_ascii_uppercase();
        raw += &format!("S_IS{last}_S{last}_E");
    }
    assert!(demangled(&raw).len() <= 64 * 1024);
}

/// Ways to nest a name in itself: pointers, arguments, scopes, functions, expressions.
const NESTINGS: &[(&str, &str)] = &[
    ("P", ""),
    ("KP", ""),
    ("A_", ""),
    ("DpP", ""),
    ("M1A", ""),
    ("1AI", "E"),
    ("N1AI", "EE"),
    ("J", "E"),
    ("F", "E"),
    ("XplT_", "E"),
    ("XnwLi0E", "E"),
    ("DTfp_E", ""),
    ("Z1fIi", "EvE1x"),
    ("1AIX", "EE"),
    ("1AIXplLi1E", "Li1EEE"),
    ("1AIXadL_Z1g", "EEE"),
];

#[test]
fn a_name_that_nests_deeply_fits_on_half_the_stack_of_a_thread() {
    let spell = || {
        for (open, close) in NESTINGS {
            for depth in [20, 31, 45, 60, 90, 200, 2000] {
                let raw = format!("_Z1f{}i{}", open.repeat(depth), close.repeat(depth));
                let _ = demangled(&raw);
            }
            let long = format!("_Z1f{}i{}", open.repeat(20_000), close.repeat(20_000));
            assert_eq!(demangled(&long), long);
        }
    };
    let half = std::thread::Builder::new().stack_size(1 << 20);
    half.spawn(spell).unwrap().join().unwrap();
}

proptest! {
    #[test]
    fn any_name_is_spelled_out_or_stays(name in "_Z[NKSTLIE0-9a-zA-Z_]{0,80}") {
        let _ = demangled(&name);
        let _ = explain_undefined(&name, &Symbols::default());
    }

    #[test]
    fn any_text_is_a_name(name in any::<String>()) {
        let mut symbols = Symbols::default();
        symbols.local.insert(name.clone(), Symbol::default());
        symbols.defined_weak.insert("_Z1fi".to_owned(), Symbol::default());
        let _ = explain_undefined(&name, &symbols);
    }

    #[test]
    fn any_bytes_are_refused_or_read(
        start in prop_oneof![
            Just(""), Just("!<arch>\n"), Just("!<thin>\n"), Just("\x7fELF\x02\x01\x01"),
            Just("\x7fELF\x01\x02\x01"), Just("\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x3e\0"),
        ],
        bytes in prop::collection::vec(any::<u8>(), 0..1000),
    ) {
        let _ = Symbols::read(&[start.as_bytes(), &bytes].concat());
    }
}
