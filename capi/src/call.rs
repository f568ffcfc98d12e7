//! Common code around every call: it stores results and errors, and catches panics.

use crate::failure::{ErrorSlot, Failure, quaff_error};
use crate::place::quaff_status;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The place for the result of a call.
pub(crate) type Slot<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// The result of a question: a status and a handle.
pub(crate) type Asked<T> = Result<(quaff_status, Option<Box<T>>), quaff_error>;

/// Runs a call that makes a value. After an error, the result is the default, which is NULL for handles.
pub(crate) fn call<T: Default>(
    out: Slot<'_, T>,
    error: ErrorSlot<'_>,
    made: impl FnOnce() -> Result<T, quaff_error>,
) -> quaff_status {
    ask(out, error, || Ok((quaff_status::Ok, made()?)))
}

/// Runs a call that makes a value, or finds that nothing is proved.
pub(crate) fn ask<T: Default>(
    out: Slot<'_, T>,
    error: ErrorSlot<'_>,
    made: impl FnOnce() -> Result<(quaff_status, T), quaff_error>,
) -> quaff_status {
    let Some(out) = out else { return ended(error, Err(Failure::Null("the place of the result").into())) };
    let made = caught(made);
    let (status, value) = match made {
        Ok((status, value)) => (Ok(status), value),
        Err(failure) => (Err(failure), T::default()),
    };
    out.write(value);
    ended(error, status)
}

/// Runs a call that changes its argument.
pub(crate) fn change(error: ErrorSlot<'_>, changed: impl FnOnce() -> Result<(), quaff_error>) -> quaff_status {
    let changed = caught(changed);
    ended(error, changed.map(|()| quaff_status::Ok))
}

/// Reads from a handle, which cannot fail. After a panic, the result is `default`.
pub(crate) fn look<T>(default: T, found: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(found)).unwrap_or(default)
}

/// Runs `made` and turns a panic into an error. A panic leaves caches consistent, because they are filled completely or
/// not at all.
fn caught<T>(made: impl FnOnce() -> Result<T, quaff_error>) -> Result<T, quaff_error> {
    catch_unwind(AssertUnwindSafe(made)).unwrap_or_else(|what| Err(quaff_error::panic(&*what)))
}

fn ended(slot: ErrorSlot<'_>, status: Result<quaff_status, quaff_error>) -> quaff_status {
    let (status, error) = match status {
        Ok(status) => (status, None),
        Err(error) => (error.status, Some(Box::new(error))),
    };
    if let Some(slot) = slot {
        slot.write(error);
    }
    status
}

/// The value of an argument that must not be NULL.
pub(crate) fn needed<T>(argument: Option<T>, name: &'static str) -> Result<T, quaff_error> {
    argument.ok_or_else(|| Failure::Null(name).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{quaff_error_free, quaff_error_message, quaff_error_status};
    use std::hint::black_box;

    #[test]
    fn a_panic_ends_at_the_border() {
        let (mut out, mut error) = (MaybeUninit::new(7), MaybeUninit::new(None));
        let status = call(Some(&mut out), Some(&mut error), || {
            let empty: [i32; 0] = black_box([]);
            Ok(empty[black_box(3)])
        });
        assert_eq!(status, quaff_status::Internal);
        let mut copy = MaybeUninit::uninit();
        let again = call(Some(&mut copy), None, || -> Result<i32, quaff_error> { panic!("{} of {}", 1, 2) });
        assert_eq!(again, quaff_status::Internal);
        assert_eq!(look(3, || panic!("a look")), 3);
        let error = quaff_error::panic(&String::from("1 of 2"));
        assert_eq!(quaff_error_status(Some(&error)), quaff_status::Internal);
        assert_eq!(quaff_error_message(Some(&error)).as_str(), Some("internal error: 1 of 2"));
        quaff_error_free(Some(Box::new(error)));
    }
}
