//! People come, change, sign in and go.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

const NOW: u64 = 1_000_000_000;

struct Town {
    people: People,
    folder: tempfile::TempDir,
}

fn town() -> Town {
    let folder = tempfile::tempdir().unwrap();
    let people = People::open(folder.path(), || NOW).unwrap();
    people.welcome().unwrap();
    Town { people, folder }
}

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn password(text: &str) -> Password {
    Password::try_from(text.to_owned()).unwrap()
}

fn wanted(user: &str, role: Role, days: Option<u32>) -> Wanted {
    Wanted { user: name(user), name: "for a test".to_owned(), role, days, by: None }
}

impl Town {
    fn text(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("service/people.json")).unwrap()
    }

    fn begin_session(&self, user: &str, hours: u64) -> Secret {
        let roster = self.people.roster();
        let hashed = &roster.user(&name(user)).unwrap().password;
        self.people.begin_session(&name(user), hashed, hours).unwrap().unwrap().1
    }

    fn is_in(&self, session: &Secret) -> bool {
        self.people.roster().by_session(&Fingerprint::of(session.reveal()), NOW).is_some()
    }
}

#[test]
fn the_first_admin_finds_their_password_until_it_is_changed() {
    let town = town();
    let path = town.people.first_password_file().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let admin = name("admin");
    assert!(town.people.roster().user(&admin).unwrap().password.fits(text.trim_end()));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&town.people.path()), mode(&town.people.folder)), (0o600, 0o600, 0o700));

    town.people.amend(&admin, None, None, Some(&password("something else"))).unwrap();

    assert_eq!(town.people.first_password_file(), None);
    assert!(town.people.roster().user(&admin).unwrap().password.fits("something else"));
    town.people.welcome().unwrap();
    assert_eq!(town.people.roster().users().count(), 1);
}

#[test]
fn nothing_in_the_file_lets_anybody_in() {
    let town = town();
    town.people.add(&name("alice"), Role::Operator, &password("battery staple")).unwrap();
    let (_, token) = town.people.give_token(wanted("alice", Role::Reader, None)).unwrap();
    let session = town.begin_session("alice", 1);

    let text = town.text();

    for secret in ["battery staple", token.reveal(), &token.reveal()[3..], session.reveal()] {
        assert!(!text.contains(secret));
    }
    let first = std::fs::read_to_string(town.people.first_password_file().unwrap()).unwrap();
    assert!(!text.contains(first.trim_end()));
}

#[test]
fn what_another_process_changes_is_seen() {
    let town = town();
    let other = People::open(town.folder.path(), || NOW).unwrap();

    other.add(&name("alice"), Role::Reader, &password("battery staple")).unwrap();
    town.people.add(&name("bob"), Role::Reader, &password("battery staple")).unwrap();

    for people in [&town.people, &other] {
        let roster = people.roster();
        let names: Vec<_> = roster.users().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["admin", "alice", "bob"]);
    }
}

#[test]
fn a_damaged_file_changes_nothing_and_is_not_written_over() {
    let town = town();
    std::fs::write(town.people.path(), "{").unwrap();

    assert_eq!(town.people.roster().users().count(), 1);
    let refused = town.people.add(&name("alice"), Role::Reader, &password("battery staple"));

    assert!(matches!(refused, Err(PeopleError::Format { .. })));
    assert_eq!(town.text(), "{");
}

#[test]
fn somebody_is_left_who_can_let_others_in() {
    let town = town();
    let admin = name("admin");
    let people = &town.people;
    people.add(&name("eve"), Role::Admin, &password("battery staple")).unwrap();
    people.amend(&name("eve"), None, Some(true), None).unwrap();

    let refused = [
        people.remove(&admin).unwrap_err(),
        people.amend(&admin, Some(Role::Operator), None, None).unwrap_err(),
        people.amend(&admin, None, Some(true), None).unwrap_err(),
    ];

    assert!(refused.iter().all(|error| matches!(error, PeopleError::LastAdmin)));
    people.amend(&name("eve"), None, Some(false), None).unwrap();
    people.remove(&admin).unwrap();
    assert_eq!(people.first_password_file(), None);
}

#[test]
fn the_first_user_is_an_admin() {
    let folder = tempfile::tempdir().unwrap();
    let people = People::open(folder.path(), || NOW).unwrap();

    let refused = people.add(&name("alice"), Role::Reader, &password("battery staple"));

    assert!(matches!(refused, Err(PeopleError::FirstIsAdmin)));
    people.add(&name("alice"), Role::Admin, &password("battery staple")).unwrap();
    people.welcome().unwrap();
    assert_eq!((people.roster().users().count(), people.first_password_file()), (1, None));
}

#[test]
fn names_that_look_alike_are_not_given_twice() {
    let town = town();

    let refused = town.people.add(&name("Admin"), Role::Reader, &password("battery staple"));

    assert!(matches!(refused, Err(PeopleError::NameTaken(_))));
}

#[test]
fn a_token_is_good_for_no_more_than_its_owner_and_only_for_its_time() {
    let town = town();
    town.people.add(&name("alice"), Role::Operator, &password("battery staple")).unwrap();
    let refused = town.people.give_token(wanted("alice", Role::Admin, None));
    assert!(matches!(refused, Err(PeopleError::AboveOwner(_))));
    let (token, secret) = town.people.give_token(wanted("alice", Role::Operator, Some(1))).unwrap();
    let fingerprint = Fingerprint::of(secret.reveal());
    let role_at = |now_ms| town.people.roster().by_token(&fingerprint, now_ms).map(|(_, role)| role);

    assert_eq!(role_at(NOW), Some(Role::Operator));
    assert_eq!(role_at(NOW + 24 * 3_600_000), None);
    town.people.amend(&name("alice"), Some(Role::Reader), None, None).unwrap();
    assert_eq!(role_at(NOW), Some(Role::Reader));
    town.people.amend(&name("alice"), None, Some(true), None).unwrap();
    assert_eq!(role_at(NOW), None);
    town.people.amend(&name("alice"), None, Some(false), None).unwrap();
    town.people.revoke(token.id).unwrap();
    assert_eq!(role_at(NOW), None);
    assert!(matches!(town.people.revoke(token.id), Err(PeopleError::NoSuchToken(1))));
}

#[test]
fn what_a_token_has_made_ends_with_it() {
    let town = town();
    let give = |days, by| town.people.give_token(Wanted { by, ..wanted("admin", Role::Reader, days) }).unwrap().0;
    let (first, other) = (give(Some(2), None), give(None, None));
    let day_ms = 24 * 3_600_000;

    let (second, shorter) = (give(None, Some(first.id)), give(Some(1), Some(first.id)));
    let third = give(Some(30), Some(second.id));

    let ends = [&second, &shorter, &third].map(|token| token.expires_at_ms);
    assert_eq!(ends, [2, 1, 2].map(|days| Some(NOW + days * day_ms)));
    assert_eq!(give(None, Some(other.id)).expires_at_ms, None);
    town.people.revoke(first.id).unwrap();
    let left: Vec<u64> = town.people.roster().tokens_of(&name("admin")).iter().map(|token| token.id).collect();
    assert_eq!(left, [other.id, third.id + 1]);
    let refused = town.people.give_token(Wanted { by: Some(first.id), ..wanted("admin", Role::Reader, None) });
    assert!(matches!(refused, Err(PeopleError::NoSuchToken(_))));
}

#[test]
fn the_use_of_a_token_is_noted_once_an_hour() {
    let town = town();
    let (token, _) = town.people.give_token(wanted("admin", Role::Reader, None)).unwrap();
    assert!(Roster::is_use_news(&token, NOW));

    town.people.note_use(token.id).unwrap();

    let roster = town.people.roster();
    let token = roster.token(token.id).unwrap();
    assert_eq!(token.used_at_ms, Some(NOW));
    assert!(!Roster::is_use_news(token, NOW + 3_599_999));
    assert!(Roster::is_use_news(token, NOW + 3_600_000));
}

#[test]
fn sessions_end_by_time_by_a_new_password_and_with_their_user() {
    let town = town();
    town.people.add(&name("alice"), Role::Reader, &password("battery staple")).unwrap();
    town.people.add(&name("bob"), Role::Reader, &password("battery staple")).unwrap();
    let (first, of_bob) = (town.begin_session("alice", 1), town.begin_session("bob", 1));
    assert!(town.is_in(&first) && !town.is_in(&town.begin_session("alice", 0)));

    town.people.amend(&name("alice"), None, None, Some(&password("correct horse"))).unwrap();
    assert!(!town.is_in(&first));
    let second = town.begin_session("alice", 1);
    town.people.amend(&name("alice"), None, Some(true), None).unwrap();
    town.people.amend(&name("alice"), None, Some(false), None).unwrap();
    assert!(!town.is_in(&second));
    let third = town.begin_session("alice", 1);
    town.people.remove(&name("alice")).unwrap();
    town.people.add(&name("alice"), Role::Reader, &password("battery staple")).unwrap();
    assert!(!town.is_in(&third));
    assert!(town.is_in(&of_bob));
}

#[test]
fn a_password_that_is_changed_while_it_is_checked_begins_no_session() {
    let town = town();
    let admin = name("admin");
    let checked = town.people.roster().user(&admin).unwrap().password.clone();
    town.people.amend(&admin, None, None, Some(&password("correct horse"))).unwrap();

    assert!(town.people.begin_session(&admin, &checked, 1).unwrap().is_none());
}

#[test]
fn nobody_has_more_sessions_than_they_can_have() {
    let town = town();
    let first = town.begin_session("admin", 1);

    let later: Vec<Secret> = (0..40).map(|_| town.begin_session("admin", 1)).collect();

    assert!(later.iter().chain([&first]).filter(|session| town.is_in(session)).count() == 32);
}
