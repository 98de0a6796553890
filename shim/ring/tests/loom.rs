//! Loom explores the ring and the wake-ups: the right orderings hold in every execution, each weakened one is caught.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU64};
use midrun_ring::atomic::{RingMemory, RingWord, WakeMemory};
use midrun_ring::ring::{Consumer, Orderings, Producer, Strong};
use midrun_ring::wakeup::{self, Wakeups};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc as StdArc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::time::Duration;

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
    fn at(&self, word: RingWord) -> &AtomicU64 {
        match word {
            RingWord::Head => &self.0.head,
            RingWord::Dropped => &self.0.dropped,
            RingWord::Tail => &self.0.tail,
            RingWord::Entry(i) => &self.0.words[i],
        }
    }
}

impl RingMemory for Shared {
    fn capacity(&self) -> u64 {
        CAPACITY as u64
    }
    fn load(&self, word: RingWord, ordering: Ordering) -> u64 {
        self.at(word).load(ordering)
    }
    fn store(&self, word: RingWord, value: u64, ordering: Ordering) {
        self.at(word).store(value, ordering);
    }
}

/// Explores every execution of `body`, and checks that there were several.
fn explore_all(body: impl Fn() + Sync + Send + 'static) {
    let executions = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = executions.clone();
    loom::model(move || {
        counted.fetch_add(1, Relaxed);
        body();
    });
    let executions = executions.load(Relaxed);
    println!("{executions} executions");
    assert!(executions >= 100, "loom explored only {executions} executions: the test proves nothing");
}

/// One thread pushes three two-word entries through two slots, the other takes what is there.
fn explore<O: Orderings + Send + 'static>() {
    explore_all(move || {
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
    explore::<Strong>();
}

#[test]
fn entries_that_are_pushed_together_come_together_or_not_at_all() {
    explore_all(|| {
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

/// The words of one rank and a futex. A sleep has no bound, so loom reports a lost wake-up as a deadlock
/// (and aborts where its own `Arc` is dropped then).
#[derive(Clone)]
struct WakeWords {
    words: StdArc<[AtomicU64; 2]>,
    /// Only who sleeps is woken. In the kernel a lock orders sleeping and waking, here the exchanges of this flag.
    sleeps: StdArc<AtomicBool>,
    sleeper: Option<loom::thread::Thread>,
}

impl WakeMemory for WakeWords {
    fn load(&self, word: usize, ordering: Ordering) -> u64 {
        self.words[word].load(ordering)
    }
    fn store(&self, word: usize, value: u64, ordering: Ordering) {
        self.words[word].store(value, ordering);
    }
    fn add(&self, word: usize, by: u64, ordering: Ordering) -> u64 {
        self.words[word].fetch_add(by, ordering)
    }
    fn fence(&self, ordering: Ordering) {
        loom::sync::atomic::fence(ordering);
    }
    fn sleep_while(&self, word: usize, value: u64, _: Duration) {
        self.sleeps.swap(true, AcqRel);
        if self.load(word, Relaxed) == value {
            loom::thread::park();
        }
        self.sleeps.store(false, Relaxed);
    }
    fn wake(&self, _: usize) {
        if self.sleeps.swap(false, AcqRel) {
            self.sleeper.as_ref().expect("the sleeping thread").unpark();
        }
    }
}

/// One thread sends a message and notifies the other, which sleeps as long as there is none.
fn explore_wakeups<O: wakeup::Orderings + Send + Sync + 'static>() {
    explore_all(|| {
        let memory = WakeWords {
            words: StdArc::new([AtomicU64::new(0), AtomicU64::new(0)]),
            sleeps: StdArc::new(AtomicBool::new(false)),
            sleeper: None,
        };
        let sent = StdArc::new(AtomicU64::new(0));
        let (words, arrived) = (memory.clone(), sent.clone());
        let sleeper = loom::thread::spawn(move || {
            let wakeups = Wakeups::<_, O>::over(memory);
            while arrived.load(Relaxed) == 0 {
                wakeups.wait(0, Duration::MAX, || arrived.load(Relaxed) == 1);
            }
        });
        let wakeups = Wakeups::<_, O>::over(WakeWords { sleeper: Some(sleeper.thread().clone()), ..words });
        sent.store(1, Relaxed);
        wakeups.notify(0);
        sleeper.join().unwrap();
    });
}

macro_rules! weakened_wakeups {
    ($name:ident, $announce:expr, $look:expr, $check:expr, $declare:expr) => {
        struct $name;
        impl wakeup::Orderings for $name {
            const ANNOUNCE: Ordering = $announce;
            const LOOK: Ordering = $look;
            const CHECK: Ordering = $check;
            const DECLARE: Ordering = $declare;
        }
    };
}
weakened_wakeups!(WeakAnnounce, Relaxed, Acquire, SeqCst, SeqCst);
weakened_wakeups!(WeakLook, Release, Relaxed, SeqCst, SeqCst);
weakened_wakeups!(WeakCheck, Release, Acquire, AcqRel, SeqCst);
weakened_wakeups!(WeakDeclare, Release, Acquire, SeqCst, AcqRel);

#[test]
fn no_execution_loses_a_wakeup() {
    explore_wakeups::<wakeup::Strong>();
}

#[test]
fn each_weakened_ordering_of_the_wakeups_is_caught() {
    let is_caught = |explore: fn()| catch_unwind(explore).is_err();
    assert!(is_caught(explore_wakeups::<WeakAnnounce>), "the announcement");
    assert!(is_caught(explore_wakeups::<WeakLook>), "the look at the count");
    assert!(is_caught(explore_wakeups::<WeakCheck>), "the sender's fence");
    assert!(is_caught(explore_wakeups::<WeakDeclare>), "the sleeper's fence");
}
