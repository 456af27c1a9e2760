//! The private pages of a run's memory, which it changed and no longer shares with the snapshot: counts them, and gives them back.
//!
//! The kernel reports them by `PAGEMAP_SCAN` (Linux 6.7), in some 25 µs: the page tables of a snapshot of 40 MiB have
//! ten thousand entries. On a kernel without it, nothing is counted beyond what every run is charged.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;

/// `_IOWR('f', 16, struct pm_scan_arg)`.
pub(crate) const PAGEMAP_SCAN: u64 = 0xc060_6610;

/// What the kernel knows of a page (`linux/fs.h`).
const PAGE_IS_FILE: u64 = 1 << 2;
const PAGE_IS_PRESENT: u64 = 1 << 3;
const PAGE_IS_SWAPPED: u64 = 1 << 4;
const PAGE_IS_PFNZERO: u64 = 1 << 5;

/// Regions that one call tells. An ordinary run changes some 60; more take more calls.
const REGIONS: usize = 128;

/// `struct pm_scan_arg`.
#[repr(C)]
#[derive(Debug)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// `struct page_region`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Region {
    start: u64,
    end: u64,
    categories: u64,
}

/// The page tables of this process.
#[derive(Debug)]
pub(crate) struct Pages(File);

impl Pages {
    /// Opens them, if the kernel tells what is needed. A worker cannot open anything later.
    pub(crate) fn open() -> Option<Pages> {
        let pages = Pages(File::open("/proc/self/pagemap").ok()?);
        let probe = [0_u8; 1];
        pages.regions(probe.as_ptr().addr() & !0xfff, 0x1000, |_| {}).ok().map(|()| pages)
    }

    /// The bytes of pages in this range that are the process's own. What the kernel does not tell counts as none.
    pub(crate) fn changed_bytes(&self, address: usize, length: usize) -> u64 {
        let mut bytes = 0;
        let _ = self.regions(address, length, |region| bytes += region.end.saturating_sub(region.start));
        bytes
    }

    /// Gives all pages in this range back to the kernel. Who reads them later finds what is mapped there: the snapshot, or zeros.
    ///
    /// # Safety
    /// The range is private memory whose content nobody needs any more.
    #[expect(unsafe_code, reason = "advice to the kernel is a foreign call")]
    pub(crate) unsafe fn give_back(address: usize, length: usize) {
        let start = std::ptr::with_exposed_provenance_mut(address);
        // Where the kernel refuses, the slot is as it was.
        // SAFETY: as the caller promises; the advice leaves the mapping itself as it is.
        let _ = unsafe { rustix::mm::madvise(start, length, rustix::mm::Advice::LinuxDontNeed) };
    }

    fn regions(&self, address: usize, length: usize, mut each: impl FnMut(&Region)) -> io::Result<()> {
        let mut regions = [Region::default(); REGIONS];
        let end = (address + length) as u64;
        let mut start = address as u64;
        while start < end {
            let mut scan = Scan {
                size: size_of::<Scan>() as u64,
                flags: 0,
                start,
                end,
                walk_end: 0,
                vec: regions.as_mut_ptr().expose_provenance() as u64,
                vec_len: REGIONS as u64,
                max_pages: 0,
                // Neither of the image's file nor of the zero page, in memory or in swap.
                category_inverted: PAGE_IS_FILE | PAGE_IS_PFNZERO,
                category_mask: PAGE_IS_FILE | PAGE_IS_PFNZERO,
                category_anyof_mask: PAGE_IS_PRESENT | PAGE_IS_SWAPPED,
                return_mask: PAGE_IS_PRESENT | PAGE_IS_SWAPPED,
            };
            #[expect(unsafe_code, reason = "the kernel's scan is a foreign call")]
            // SAFETY: the kernel reads `scan` and writes it, and at most `vec_len` regions to `vec`, which is a live array of
            // as many. It changes nothing of the range that it looks at: no flag asks it to.
            let told = unsafe { libc::ioctl(self.0.as_raw_fd(), PAGEMAP_SCAN, &raw mut scan) };
            let told = usize::try_from(told).map_err(|_| io::Error::last_os_error())?;
            regions.iter().take(told).for_each(&mut each);
            if scan.walk_end <= start {
                return Err(io::Error::other("the scan does not advance"));
            }
            start = scan.walk_end;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c11_pages_count_from_when_they_are_written_until_they_are_given_back() {
        use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
        const PAGE: usize = 4096;
        // Fewer than a huge page has, which would be written as one.
        const COUNT: usize = 399;
        let Some(pages) = Pages::open() else { return };
        #[expect(unsafe_code, reason = "memory that nobody has touched comes from the system alone")]
        // SAFETY: the mapping is new and this test's own; what is written lies inside, and nothing uses it afterwards.
        let (before, after, given_back) = unsafe {
            let flags = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
            let memory = mmap_anonymous(std::ptr::null_mut(), COUNT * PAGE, flags.0, flags.1).expect("there is memory");
            let before = pages.changed_bytes(memory.addr(), COUNT * PAGE);
            // Every second page: more regions than one call tells.
            for page in (0..COUNT).step_by(2) {
                memory.cast::<u8>().add(page * PAGE).write_volatile(1);
            }
            let after = pages.changed_bytes(memory.addr(), COUNT * PAGE);
            Pages::give_back(memory.addr(), COUNT * PAGE);
            let given_back = pages.changed_bytes(memory.addr(), COUNT * PAGE);
            munmap(memory, COUNT * PAGE).expect("it is mapped");
            (before, after, given_back)
        };
        assert_eq!((before, after, given_back), (0, 200 * PAGE as u64, 0));
    }
}
