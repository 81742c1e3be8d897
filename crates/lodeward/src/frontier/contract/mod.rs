//! The guarantees of every frontier, as tests: `frontier_contract!(name, make)`.

pub(super) mod fixtures;
pub(super) mod offers;
mod leases;
mod order;
mod records;

use super::Frontier;

/// Checks one guarantee of a new, empty frontier. Called by [`frontier_contract!`](crate::frontier_contract).
///
/// # Panics
/// If the frontier does not have the guarantee.
pub async fn check(claim: &str, frontier: &dyn Frontier) {
    crate::frontier_contract!(@claims check claim frontier);
}

/// Tests that a frontier has the guarantees of all frontiers.
///
/// `$make` is a function from [`DomainOrder`](crate::frontier::DomainOrder) and the maximum number of documents per
/// domain (`Option<u32>`) to a new frontier, which is started with this order, and a guard that is dropped after it.
#[macro_export]
macro_rules! frontier_contract {
    ($name:ident, $make:path) => {
        mod $name {
            $crate::frontier_contract!(@claims test $make);
        }
    };
    // All guarantees, by module, with the order and the limit of the frontier they need.
    (@claims $then:ident $($with:tt)+) => {
        $crate::frontier_contract! { @$then ($($with)+)
            [offers RoundRobin None;
                a_uri_offered_twice_is_leased_once
                known_targets_are_sifted_out
                dropped_uris_are_known_and_never_leased
                a_dropped_uri_can_be_readmitted
                waiting_uris_can_be_dropped
                waiting_entries_are_listed_in_the_order_of_their_turns
                uris_are_neither_lost_nor_duplicated
            ]
            [leases RoundRobin None;
                a_domain_is_visited_once_at_a_time
                a_domain_is_not_leased_before_its_delay_ends
                a_postponed_lease_is_due_at_once
                a_lease_is_settled_only_once
                a_retry_waits_while_other_entries_are_leased
                a_closed_domain_is_never_visited_again
            ]
            [leases RoundRobin Some(2); a_domain_at_its_limit_is_closed]
            [order RoundRobin None; entries_are_leased_by_priority_then_age domains_take_turns_in_a_round_robin]
            [order BestFirst None;
                the_best_domain_is_leased_first
                entries_can_be_rescored
                changed_scores_reorder_all_entries
                low_scores_are_held_back
                no_entry_waits_for_a_failing_domain
            ]
            [records RoundRobin None;
                the_record_of_a_uri_is_found
                a_snapshot_of_settled_records_does_not_change
                a_refresh_round_queues_settled_uris_first
                first_visits_are_leased_while_all_revisits_wait
                a_revisit_is_not_lost_when_its_domain_closes
                a_document_with_lost_statements_is_requeued
            ]
            [records BestFirst Some(2); revisits_do_not_count_towards_the_domain_limit]
        }
    };
    (@test ($make:path) $([$part:ident $order:ident $limit:expr; $($claim:ident)+])+) => {
        $($(
            #[tokio::test]
            async fn $claim() {
                let (frontier, _guard) = $make($crate::frontier::DomainOrder::$order, $limit);
                $crate::frontier::contract::check(stringify!($claim), &frontier).await;
            }
        )+)+
    };
    (@check ($name:ident $frontier:ident) $([$part:ident $order:ident $limit:expr; $($claim:ident)+])+) => {
        match $name {
            $($(stringify!($claim) => $part::$claim($frontier).await,)+)+
            unknown => panic!("no such claim: {unknown}"),
        }
    };
}
