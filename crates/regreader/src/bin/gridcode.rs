//! `gridcode`: the program under its first name.

fn main() -> std::process::ExitCode {
    regreader::main()
}
