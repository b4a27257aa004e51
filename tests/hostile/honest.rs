//! What must still work inside.

use serde_json::json;

use super::host::{Host, as_everybody, judged};

/// `source` compiled by `compiler` with `flags` prints `ok`.
#[track_caller]
fn works(host: &Host, compiler: &str, flags: &[&str], source: &str, class: &str) {
    host.suite.case(
        "c",
        &json!({"assemble": "replace", "fixture": null, "expect": {"stdout": "ok\n"}, "compile_flags": flags}),
    );
    host.suite
        .write("driftgate.yml", format!("compiler: {compiler}\n"));
    judged(host, source, class);
}

fn with_every_compiler(flags: &[&str], source: &str, class: &str) {
    for compiler in ["g++", "clang++"] {
        if driftgate::run::environment::find_program(compiler).is_some() {
            as_everybody(|host| works(host, compiler, flags, source, class));
        }
    }
}

#[test]
fn threads_files_and_locales() {
    let source = r#"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <locale>
#include <random>
#include <thread>
#include <vector>
namespace fs = std::filesystem;
int main() {
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; i++) threads.emplace_back([&] { sum++; });
    for (auto& thread : threads) thread.join();
    if (sum != 16 || std::thread::hardware_concurrency() == 0) return 1;
    fs::create_directories("a/b/c");
    std::ofstream("a/b/f") << "text";
    fs::copy_file("a/b/f", "a/g");
    fs::copy("a", "z", fs::copy_options::recursive);
    fs::rename("a/g", "a/b/c/h");
    fs::resize_file("a/b/c/h", 2);
    fs::create_symlink("a", "link");
    fs::create_hard_link("a/b/f", "again");
    if (fs::file_size("a/b/c/h") != 2 || fs::file_size("z/b/f") != 4) return 2;
    std::ofstream(fs::temp_directory_path() / "t") << "t";
    std::ofstream(std::string(std::getenv("HOME")) + "/h") << "h";
    int count = 0;
    for (auto& entry : fs::recursive_directory_iterator("a")) count += entry.exists();
    if (count != 4) return 3;
    if (fs::remove_all("a") < 4 || fs::space(".").capacity == 0) return 4;
    std::locale::global(std::locale("C.UTF-8"));
    std::random_device random;
    if (random.entropy() < 0 || random() == random()) return 5;
    std::time_t now = std::time(nullptr);
    if (!std::localtime(&now)) return 6;
    if (std::system("exit 3") != 3 << 8) return 7;
    if (FILE* pipe = popen("echo x", "r"); !pipe || std::fgetc(pipe) != 'x') return 8;
    std::ofstream null("/dev/null");
    null << "x";
    if (!null) return 9;
    std::string word;
    if (std::ifstream("/dev/stdin") >> word) return 10;
    std::ofstream("/dev/stdout") << "ok\n";
}
"#;
    with_every_compiler(&["-std=c++20", "-pthread"], source, "match");
}

const FINE: &str = "#include <cstdio>\n#include <thread>\n#include <vector>\n\
    int main() { std::vector<int> v(10); std::thread([&] { v[1] = 1; }).join(); std::puts(v[1] ? \"ok\" : \"no\"); }\n";

#[test]
fn programs_under_every_sanitizer() {
    for sanitizer in [
        "address",
        "undefined",
        "leak",
        "thread",
        "address,undefined",
    ] {
        let flags = [
            &*format!("-fsanitize={sanitizer}"),
            "-fno-sanitize-recover=all",
            "-g",
            "-pthread",
        ];
        with_every_compiler(&flags, FINE, "match");
    }
}

#[test]
fn programs_of_every_linker_and_of_whole_program_optimisation() {
    let mut sets = vec![vec!["-flto".to_owned(), "-O2".to_owned()]];
    for linker in ["bfd", "gold", "lld", "mold"] {
        if driftgate::run::environment::find_program(&format!("ld.{linker}")).is_some() {
            sets.push(vec![format!("-fuse-ld={linker}")]);
        }
    }
    for flags in sets {
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        with_every_compiler(&[flags, vec!["-pthread"]].concat(), FINE, "match");
    }
}

#[test]
fn sanitizers_find_what_they_are_there_for() {
    let race =
        "#include <thread>\nint x; int main() { std::thread t([] { x++; }); x++; t.join(); }\n";
    let leak = "#include <cstdlib>\nint main() { auto p = static_cast<char* volatile*>(std::malloc(8)); *p = static_cast<char*>(std::malloc(77)); p = nullptr; return 0; }\n";
    let overflow =
        "int main(int n, char**) { int a[2] = {}; int* volatile p = a; return p[n + 1]; }\n";
    for (flags, source) in [
        ("thread", race),
        ("leak", leak),
        ("address", leak),
        ("address", overflow),
    ] {
        let flags = [&*format!("-fsanitize={flags}"), "-g", "-pthread"];
        with_every_compiler(&flags, source, "exit_differs");
    }
}
