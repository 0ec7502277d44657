//! `regreader`.

fn main() -> std::process::ExitCode {
    regreader::main()
}
