//! Who may use the service, from the command line.

use crate::desk::Desk;

fn desk() -> Desk {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("data")).unwrap();
    let said = desk.run_with_input(&add("root", "admin"), "correct horse\n");
    assert_eq!(said.code, 0, "{}", said.errors);
    desk
}

fn add<'a>(name: &'a str, role: &'a str) -> [&'a str; 8] {
    ["user", "add", name, "--role", role, "--password-stdin", "--data", "data"]
}

#[test]
fn users_come_change_and_go() {
    let desk = desk();
    assert_eq!(desk.run_with_input(&add("alice", "operator"), "battery staple\n").code, 0);

    desk.succeed(&["user", "role", "alice", "reader", "--data", "data"]);
    desk.succeed(&["user", "disable", "alice", "--data", "data"]);
    let listed = desk.succeed(&["user", "list", "--data", "data"]);
    desk.succeed(&["user", "remove", "alice", "--data", "data"]);
    let json: serde_json::Value =
        serde_json::from_str(&desk.succeed(&["user", "list", "--json", "--data", "data"])).unwrap();

    let lines: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines, [vec!["alice", "reader", "disabled"], vec!["root", "admin"]]);
    assert_eq!((json.as_array().unwrap().len(), &json[0]["name"]), (1, &"root".into()));
}

#[test]
fn a_token_is_shown_once_and_kept_nowhere() {
    let desk = desk();

    let token = desk.succeed(&["user", "token", "root", "--for", "a \u{1b}[2J test", "--days", "9", "--data", "data"]);
    let listed = desk.succeed(&["user", "tokens", "root", "--data", "data"]);

    let token = token.trim_end();
    assert!(token.starts_with("lw_") && !token.contains(char::is_whitespace));
    let kept = std::fs::read_to_string(desk.path("data/service/people.json")).unwrap();
    assert!(!kept.contains(token) && !kept.contains("correct horse"));
    assert!(listed.starts_with("1 ") && listed.contains("a \\u{1b}[2J test"), "{listed}");
    desk.succeed(&["user", "revoke", "1", "--data", "data"]);
    assert_eq!(desk.succeed(&["user", "tokens", "root", "--data", "data"]), "");
}

#[test]
fn what_cannot_be_done_is_said() {
    let desk = desk();

    insta::assert_snapshot!("user_last_admin", desk.shown(&["user", "remove", "root", "--data", "data"]));
    insta::assert_snapshot!("user_nobody", desk.shown(&["user", "password", "nobody", "--data", "data"]));
    insta::assert_snapshot!("user_without_terminal", desk.shown(&["user", "password", "root", "--data", "data"]));
    insta::assert_snapshot!("user_of_no_name", desk.shown(&["user", "enable", "a/b", "--data", "data"]));
    insta::assert_snapshot!("user_of_no_folder", desk.shown(&["user", "list", "--data", "elsewhere"]));
    let short = desk.run_with_input(&["user", "password", "root", "--password-stdin", "--data", "data"], "short\n");
    assert_eq!((short.code, short.errors.as_str()), (2, "error: a password has 8 to 256 characters\n"));
}
