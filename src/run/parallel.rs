//! The same asked of many at once, each on a thread of its own.

/// The result of a thread; its panic is ours.
pub(super) fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// `ask` of every item, each on a thread of its own, in their order.
pub(super) fn at_once<I: Sync, T: Send>(items: &[I], ask: impl Fn(&I) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let ask = &ask;
        let threads: Vec<_> = items
            .iter()
            .map(|item| scope.spawn(move || ask(item)))
            .collect();
        threads.into_iter().map(joined).collect()
    })
}
