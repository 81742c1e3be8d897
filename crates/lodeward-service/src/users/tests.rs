//! Tests of the user database: first admin, changes, tokens, sessions.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

const NOW: u64 = 1_000_000_000;

struct UserFixture {
    users: UserStore,
    dir: tempfile::TempDir,
}

fn fixture() -> UserFixture {
    let dir = tempfile::tempdir().unwrap();
    let users = UserStore::open(dir.path(), || NOW).unwrap();
    users.create_first_admin().unwrap();
    UserFixture { users, dir }
}

fn name(text: &str) -> UserName {
    text.parse().unwrap()
}

fn password(text: &str) -> Password {
    Password::try_from(text.to_owned()).unwrap()
}

fn token_spec(user: &str, role: Role, days: Option<u32>) -> TokenSpec {
    TokenSpec { user: name(user), name: "for a test".to_owned(), role, days, parent: None }
}

impl UserFixture {
    fn text(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("service/users.json")).unwrap()
    }

    fn begin_session(&self, user: &str, hours: u64) -> TokenSecret {
        let db = self.users.snapshot();
        let digest = &db.user(&name(user)).unwrap().password;
        self.users.begin_session(&name(user), digest, Duration::from_hours(hours)).unwrap().unwrap().1
    }

    fn is_valid(&self, session: &TokenSecret) -> bool {
        self.users.snapshot().find_session(&Fingerprint::from_secret(session.reveal()), NOW).is_some()
    }
}

#[test]
fn the_password_file_of_the_first_admin_exists_until_the_password_is_changed() {
    let fixture = fixture();
    let path = fixture.users.first_password_file().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let admin = name("admin");
    assert!(fixture.users.snapshot().user(&admin).unwrap().password.verify(text.trim_end()));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&fixture.users.path()), mode(&fixture.users.dir)), (0o600, 0o600, 0o700));

    fixture.users.update(&admin, None, None, Some(&password("something else"))).unwrap();

    assert_eq!(fixture.users.first_password_file(), None);
    assert!(fixture.users.snapshot().user(&admin).unwrap().password.verify("something else"));
    fixture.users.create_first_admin().unwrap();
    assert_eq!(fixture.users.snapshot().users().count(), 1);
}

#[test]
fn the_file_contains_no_secret() {
    let fixture = fixture();
    fixture.users.add(&name("alice"), Role::Operator, &password("battery staple")).unwrap();
    let (_, token) = fixture.users.issue_token(token_spec("alice", Role::Reader, None)).unwrap();
    let session = fixture.begin_session("alice", 1);

    let text = fixture.text();

    for secret in ["battery staple", token.reveal(), &token.reveal()[3..], session.reveal()] {
        assert!(!text.contains(secret));
    }
    let first = std::fs::read_to_string(fixture.users.first_password_file().unwrap()).unwrap();
    assert!(!text.contains(first.trim_end()));
}

#[test]
fn a_change_by_another_process_is_visible() {
    let fixture = fixture();
    let other = UserStore::open(fixture.dir.path(), || NOW).unwrap();

    other.add(&name("alice"), Role::Reader, &password("battery staple")).unwrap();
    fixture.users.add(&name("bob"), Role::Reader, &password("battery staple")).unwrap();

    for users in [&fixture.users, &other] {
        let db = users.snapshot();
        let names: Vec<_> = db.users().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["admin", "alice", "bob"]);
    }
}

#[test]
fn a_damaged_file_is_neither_used_nor_overwritten() {
    let fixture = fixture();
    std::fs::write(fixture.users.path(), "{").unwrap();

    assert_eq!(fixture.users.snapshot().users().count(), 1);
    let rejected = fixture.users.add(&name("alice"), Role::Reader, &password("battery staple"));

    assert!(matches!(rejected, Err(UserError::File(_))));
    assert_eq!(fixture.text(), "{");
}

#[test]
fn a_data_directory_with_users_of_an_older_version_is_rejected() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("service")).unwrap();
    std::fs::write(dir.path().join("service/people.json"), "{}").unwrap();

    let rejected = UserStore::open(dir.path(), || NOW).map(|_| ()).unwrap_err();

    assert!(matches!(rejected, UserError::OldFormat(_)));
    assert!(
        rejected.to_string().ends_with("people.json was written by an older version: this version uses users.json"),
        "{rejected}"
    );
}

#[test]
fn the_last_enabled_admin_cannot_be_removed_demoted_or_disabled() {
    let fixture = fixture();
    let admin = name("admin");
    let users = &fixture.users;
    users.add(&name("eve"), Role::Admin, &password("battery staple")).unwrap();
    users.update(&name("eve"), None, Some(true), None).unwrap();

    let rejected = [
        users.remove(&admin).unwrap_err(),
        users.update(&admin, Some(Role::Operator), None, None).unwrap_err(),
        users.update(&admin, None, Some(true), None).unwrap_err(),
    ];

    assert!(rejected.iter().all(|error| matches!(error, UserError::LastAdmin)));
    users.update(&name("eve"), None, Some(false), None).unwrap();
    users.remove(&admin).unwrap();
    assert_eq!(users.first_password_file(), None);
}

#[test]
fn the_first_user_must_be_an_admin() {
    let dir = tempfile::tempdir().unwrap();
    let users = UserStore::open(dir.path(), || NOW).unwrap();

    let rejected = users.add(&name("alice"), Role::Reader, &password("battery staple"));

    assert!(matches!(rejected, Err(UserError::FirstIsAdmin)));
    users.add(&name("alice"), Role::Admin, &password("battery staple")).unwrap();
    users.create_first_admin().unwrap();
    assert_eq!((users.snapshot().users().count(), users.first_password_file()), (1, None));
}

#[test]
fn names_that_differ_only_in_case_are_rejected() {
    let fixture = fixture();

    let rejected = fixture.users.add(&name("Admin"), Role::Reader, &password("battery staple"));

    assert!(matches!(rejected, Err(UserError::NameTaken(_))));
}

#[test]
fn a_token_has_at_most_the_role_of_its_owner_and_expires() {
    let fixture = fixture();
    fixture.users.add(&name("alice"), Role::Operator, &password("battery staple")).unwrap();
    let rejected = fixture.users.issue_token(token_spec("alice", Role::Admin, None));
    assert!(matches!(rejected, Err(UserError::RoleAboveOwner(_))));
    let (token, secret) = fixture.users.issue_token(token_spec("alice", Role::Operator, Some(1))).unwrap();
    let fingerprint = Fingerprint::from_secret(secret.reveal());
    let role_at = |now_ms| fixture.users.snapshot().find_token(&fingerprint, now_ms).map(|(_, role)| role);

    assert_eq!(role_at(NOW), Some(Role::Operator));
    assert_eq!(role_at(NOW + 24 * 3_600_000), None);
    fixture.users.update(&name("alice"), Some(Role::Reader), None, None).unwrap();
    assert_eq!(role_at(NOW), Some(Role::Reader));
    fixture.users.update(&name("alice"), None, Some(true), None).unwrap();
    assert_eq!(role_at(NOW), None);
    fixture.users.update(&name("alice"), None, Some(false), None).unwrap();
    fixture.users.revoke(token.id).unwrap();
    assert_eq!(role_at(NOW), None);
    assert!(matches!(fixture.users.revoke(token.id), Err(UserError::NoSuchToken(1))));
}

#[test]
fn revoking_a_token_revokes_the_tokens_created_with_it() {
    let fixture = fixture();
    let issue = |days, parent| {
        fixture.users.issue_token(TokenSpec { parent, ..token_spec("admin", Role::Reader, days) }).unwrap().0
    };
    let (first, other) = (issue(Some(2), None), issue(None, None));
    let day_ms = 24 * 3_600_000;

    let (second, shorter) = (issue(None, Some(first.id)), issue(Some(1), Some(first.id)));
    let third = issue(Some(30), Some(second.id));

    let ends = [&second, &shorter, &third].map(|token| token.expires_at_ms);
    assert_eq!(ends, [2, 1, 2].map(|days| Some(NOW + days * day_ms)));
    assert_eq!(issue(None, Some(other.id)).expires_at_ms, None);
    fixture.users.revoke(first.id).unwrap();
    let left: Vec<u64> = fixture.users.snapshot().user_tokens(&name("admin")).iter().map(|token| token.id).collect();
    assert_eq!(left, [other.id, third.id + 1]);
    let rejected =
        fixture.users.issue_token(TokenSpec { parent: Some(first.id), ..token_spec("admin", Role::Reader, None) });
    assert!(matches!(rejected, Err(UserError::NoSuchToken(_))));
}

#[test]
fn the_use_of_a_token_is_recorded_once_an_hour() {
    let fixture = fixture();
    let (token, _) = fixture.users.issue_token(token_spec("admin", Role::Reader, None)).unwrap();
    assert!(UserDb::needs_use_update(&token, NOW));

    fixture.users.record_token_use(token.id).unwrap();

    let db = fixture.users.snapshot();
    let token = db.token(token.id).unwrap();
    assert_eq!(token.used_at_ms, Some(NOW));
    assert!(!UserDb::needs_use_update(token, NOW + 3_599_999));
    assert!(UserDb::needs_use_update(token, NOW + 3_600_000));
}

#[test]
fn sessions_end_at_expiry_with_a_new_password_and_with_their_user() {
    let fixture = fixture();
    fixture.users.add(&name("alice"), Role::Reader, &password("battery staple")).unwrap();
    fixture.users.add(&name("bob"), Role::Reader, &password("battery staple")).unwrap();
    let (first, of_bob) = (fixture.begin_session("alice", 1), fixture.begin_session("bob", 1));
    assert!(fixture.is_valid(&first) && !fixture.is_valid(&fixture.begin_session("alice", 0)));

    fixture.users.update(&name("alice"), None, None, Some(&password("correct horse"))).unwrap();
    assert!(!fixture.is_valid(&first));
    let second = fixture.begin_session("alice", 1);
    fixture.users.update(&name("alice"), None, Some(true), None).unwrap();
    fixture.users.update(&name("alice"), None, Some(false), None).unwrap();
    assert!(!fixture.is_valid(&second));
    let third = fixture.begin_session("alice", 1);
    fixture.users.remove(&name("alice")).unwrap();
    fixture.users.add(&name("alice"), Role::Reader, &password("battery staple")).unwrap();
    assert!(!fixture.is_valid(&third));
    assert!(fixture.is_valid(&of_bob));
}

#[test]
fn a_password_changed_during_its_check_starts_no_session() {
    let fixture = fixture();
    let admin = name("admin");
    let checked = fixture.users.snapshot().user(&admin).unwrap().password.clone();
    fixture.users.update(&admin, None, None, Some(&password("correct horse"))).unwrap();

    assert!(fixture.users.begin_session(&admin, &checked, Duration::from_hours(1)).unwrap().is_none());
}

#[test]
fn the_number_of_sessions_of_a_user_is_limited() {
    let fixture = fixture();
    let first = fixture.begin_session("admin", 1);

    let later: Vec<TokenSecret> = (0..40).map(|_| fixture.begin_session("admin", 1)).collect();

    assert!(later.iter().chain([&first]).filter(|session| fixture.is_valid(session)).count() == 32);
}
