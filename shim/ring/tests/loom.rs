//! Loom explores the ring: the right orderings hold in every execution, each weakened one is caught.

use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use midrun_ring::atomic::{Memory, Place};
use midrun_ring::ring::{Consumer, Orderings, Producer, Strong};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

const CAPACITY: usize = 2;
const WORDS: usize = 2;
const ENTRIES: u64 = 3;

struct Explored {
    head: AtomicU64,
    dropped: AtomicU64,
    tail: AtomicU64,
    words: Vec<AtomicU64>,
}

#[derive(Clone)]
struct Shared(Arc<Explored>);

impl Shared {
    fn at(&self, place: Place) -> &AtomicU64 {
        match place {
            Place::Head => &self.0.head,
            Place::Dropped => &self.0.dropped,
            Place::Tail => &self.0.tail,
            Place::Word(i) => &self.0.words[i],
        }
    }
}

impl Memory for Shared {
    fn capacity(&self) -> u64 {
        CAPACITY as u64
    }
    fn load(&self, place: Place, ordering: Ordering) -> u64 {
        self.at(place).load(ordering)
    }
    fn store(&self, place: Place, value: u64, ordering: Ordering) {
        self.at(place).store(value, ordering);
    }
}

/// One thread pushes three two-word entries through two slots, the other takes what is there.
fn explore<O: Orderings + Send + 'static>() -> usize {
    let executions = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = executions.clone();
    loom::model(move || {
        counted.fetch_add(1, Relaxed);
        let shared = Shared(Arc::new(Explored {
            head: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            tail: AtomicU64::new(0),
            words: (0..CAPACITY * WORDS).map(|_| AtomicU64::new(0)).collect(),
        }));
        let mut producer = Producer::<_, O, WORDS>::resume(shared.clone());
        let mut consumer = Consumer::<_, O, WORDS>::resume(shared);
        let writer = loom::thread::spawn(move || (1..=ENTRIES).filter(|n| producer.push(&[*n, 10 * n])).count() as u64);
        let mut last = 0;
        let mut taken = 0;
        let mut take = |consumer: &mut Consumer<_, O, WORDS>| {
            while let Some([a, b]) = consumer.pop() {
                assert_eq!(b, 10 * a, "a torn entry");
                assert!(a > last, "entry {a} after {last}");
                last = a;
                taken += 1;
            }
        };
        take(&mut consumer);
        loom::thread::yield_now();
        take(&mut consumer);
        let pushed = writer.join().unwrap();
        take(&mut consumer);
        assert_eq!(taken, pushed, "entries taken and pushed");
        assert!(!consumer.corrupted());
    });
    executions.load(Relaxed)
}

macro_rules! weakened {
    ($name:ident, $publish:expr, $observe:expr, $free:expr, $reuse:expr) => {
        struct $name;
        impl Orderings for $name {
            const PUBLISH: Ordering = $publish;
            const OBSERVE: Ordering = $observe;
            const FREE: Ordering = $free;
            const REUSE: Ordering = $reuse;
        }
    };
}
weakened!(WeakPublish, Relaxed, Acquire, Release, Acquire);
weakened!(WeakObserve, Release, Relaxed, Release, Acquire);
weakened!(WeakFree, Release, Acquire, Relaxed, Acquire);
weakened!(WeakReuse, Release, Acquire, Release, Relaxed);

fn is_caught<O: Orderings + Send + 'static>() -> bool {
    catch_unwind(AssertUnwindSafe(explore::<O>)).is_err()
}

#[test]
fn entries_arrive_whole_and_in_order_in_every_execution() {
    let executions = explore::<Strong>();
    println!("{executions} executions");
    assert!(executions >= 100, "loom explored only {executions} executions: the test proves nothing");
}

#[test]
fn entries_that_are_pushed_together_come_together_or_not_at_all() {
    loom::model(|| {
        let shared = Shared(Arc::new(Explored {
            head: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            tail: AtomicU64::new(0),
            words: (0..CAPACITY * WORDS).map(|_| AtomicU64::new(0)).collect(),
        }));
        let mut producer = Producer::<_, Strong, WORDS>::resume(shared.clone());
        let mut consumer = Consumer::<_, Strong, WORDS>::resume(shared);
        let writer = loom::thread::spawn(move || {
            let pushed = [1, 3].map(|n| producer.push_all(&[[n, n], [n + 1, n + 1]]));
            assert!(!producer.push_all(&[[0; WORDS]; CAPACITY + 1]), "more than there is room for");
            pushed
        });
        let mut taken = Vec::new();
        for _ in 0..2 {
            if let Some([a, _]) = consumer.pop() {
                assert_eq!(consumer.pop(), Some([a + 1, a + 1]), "the second of a pair is there with the first");
                taken.push(a);
            }
            loom::thread::yield_now();
        }
        let pushed = writer.join().unwrap();
        while let Some([a, _]) = consumer.pop() {
            assert_eq!(consumer.pop(), Some([a + 1, a + 1]));
            taken.push(a);
        }
        let expected: Vec<u64> = [1, 3].into_iter().zip(pushed).filter(|(_, pushed)| *pushed).map(|(n, _)| n).collect();
        assert_eq!(taken, expected);
    });
}

#[test]
fn a_relaxed_publication_is_caught() {
    assert!(is_caught::<WeakPublish>());
}

#[test]
fn a_relaxed_observation_is_caught() {
    assert!(is_caught::<WeakObserve>());
}

/// The consumer's loads of an entry and the producer's stores over it are ordered by SYNC F. Loom does not let a load
/// see a store that is later in its own execution order, so it cannot show the harm on relaxed words; what it can show
/// is the missing happens-before edge, by a causality-checked cell in the entry's place.
#[test]
fn a_relaxed_freeing_or_reuse_is_caught() {
    fn explore_cells(free: Ordering, reuse: Ordering) -> bool {
        catch_unwind(AssertUnwindSafe(|| {
            loom::model(move || {
                let slot = Arc::new(loom::cell::UnsafeCell::new(0u64));
                let tail = Arc::new(AtomicU64::new(0));
                let (their_slot, their_tail) = (slot.clone(), tail.clone());
                let reader = loom::thread::spawn(move || {
                    // SAFETY: loom checks the access against the writer's.
                    their_slot.with(|p| unsafe { *p });
                    their_tail.store(1, free);
                });
                if tail.load(reuse) == 1 {
                    // SAFETY: loom checks the access against the reader's.
                    slot.with_mut(|p| unsafe { *p = 2 });
                }
                reader.join().unwrap();
            });
        }))
        .is_err()
    }
    assert!(!explore_cells(Strong::FREE, Strong::REUSE));
    assert!(explore_cells(WeakFree::FREE, WeakFree::REUSE));
    assert!(explore_cells(WeakReuse::FREE, WeakReuse::REUSE));
}
