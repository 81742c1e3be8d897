//! `lodeward user`: users and tokens.

use crate::sandbox::Sandbox;

fn sandbox() -> Sandbox {
    // The first user can be added before the first start of a service creates the directory.
    let sandbox = Sandbox::new();
    let added = sandbox.run_with_input(&add("root", "admin"), "correct horse\n");
    assert_eq!(added.code, 0, "{}", added.errors);
    sandbox
}

fn add<'a>(name: &'a str, role: &'a str) -> [&'a str; 8] {
    ["user", "add", name, "--role", role, "--password-stdin", "--data", "data"]
}

#[test]
fn users_are_added_changed_and_removed() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run_with_input(&add("alice", "operator"), "battery staple\n").code, 0);

    sandbox.succeed(&["user", "role", "alice", "reader", "--data", "data"]);
    sandbox.succeed(&["user", "disable", "alice", "--data", "data"]);
    let listed = sandbox.succeed(&["user", "list", "--data", "data"]);
    sandbox.succeed(&["user", "remove", "alice", "--data", "data"]);
    let json: serde_json::Value =
        serde_json::from_str(&sandbox.succeed(&["user", "list", "--json", "--data", "data"])).unwrap();

    let lines: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines, [vec!["alice", "reader", "disabled"], vec!["root", "admin"]]);
    assert_eq!((json.as_array().unwrap().len(), &json[0]["name"]), (1, &"root".into()));
}

#[test]
fn a_token_is_printed_once_and_not_stored() {
    let sandbox = sandbox();

    let token = sandbox.succeed(&[
        "user",
        "token",
        "root",
        "--description",
        "a \u{1b}[2J test",
        "--expires",
        "9d",
        "--data",
        "data",
    ]);
    let listed = sandbox.succeed(&["user", "tokens", "root", "--data", "data"]);

    let token = token.trim_end();
    assert!(token.starts_with("lw_") && !token.contains(char::is_whitespace));
    let stored = std::fs::read_to_string(sandbox.path("data/service/users.json")).unwrap();
    assert!(!stored.contains(token) && !stored.contains("correct horse"));
    assert!(listed.starts_with("1 ") && listed.contains("a \\u{1b}[2J test"), "{listed}");
    sandbox.succeed(&["user", "revoke", "1", "--data", "data"]);
    assert_eq!(sandbox.succeed(&["user", "tokens", "root", "--data", "data"]), "");
}

#[test]
fn errors_of_user_commands_are_reported() {
    let sandbox = sandbox();

    insta::assert_snapshot!("user_last_admin", sandbox.shown(&["user", "remove", "root", "--data", "data"]));
    insta::assert_snapshot!("user_unknown", sandbox.shown(&["user", "password", "unknown", "--data", "data"]));
    insta::assert_snapshot!("user_without_terminal", sandbox.shown(&["user", "password", "root", "--data", "data"]));
    insta::assert_snapshot!("user_with_invalid_name", sandbox.shown(&["user", "enable", "a/b", "--data", "data"]));
    insta::assert_snapshot!("user_without_data_directory", sandbox.shown(&["user", "list", "--data", "elsewhere"]));
    let short = sandbox.run_with_input(&["user", "password", "root", "--password-stdin", "--data", "data"], "short\n");
    assert_eq!((short.code, short.errors.as_str()), (2, "error: a password must have 8 to 256 characters\n"));
}
