//! Sets the name by which programs look for the shared library. Before 1.0, each minor version has a name of its own.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    let version = format!("{}.{}", set("CARGO_PKG_VERSION_MAJOR"), set("CARGO_PKG_VERSION_MINOR"));
    match set("CARGO_CFG_TARGET_OS").as_str() {
        "linux" | "freebsd" => println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libquaff.so.{version}"),
        "macos" => println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libquaff.{version}.dylib"),
        _ => {}
    }
}
