use forge_memory_lattice::*;
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let mut l = Lattice::new(dir.into());
    for _ in 0..2 {
        let t = std::time::Instant::now();
        let o = l.index(&IndexOptions::default(), &|_, _| {}).unwrap();
        println!("{:?} {:?}", t.elapsed(), o);
    }
    let s = l.stat();
    println!("{:?} {:?} {:?} {}", s.languages, s.kinds, s.resolved, s.index_bytes);
    for (c, n) in s.hottest {
        println!("{n} {} {}:{}", c.name, c.file_path, c.lines.0);
    }
    for q in std::env::args().skip(2) {
        let t = std::time::Instant::now();
        let a = l
            .query(&QueryOptions {
                query: q.clone(),
                limit: Some(5.0),
                ..Default::default()
            })
            .unwrap();
        println!("== {q} {:?} {}", t.elapsed(), a.message);
        for c in a.chunks {
            println!(
                "  {:?} {} {} {}:{} | {} | {:?}",
                c.score, c.kind, c.name, c.file_path, c.lines.0, c.signature, c.doc
            );
        }
        let t = std::time::Instant::now();
        let a = l
            .callers(
                &Seed {
                    name: Some(q.clone()),
                    chunk_id: None,
                },
                Some(5.0),
            )
            .unwrap();
        println!("  callers {:?} {}", t.elapsed(), a.message);
        for c in a.chunks {
            println!("    {:?} {} {}:{:?}", c.resolved, c.name, c.file_path, c.call_line);
        }
        let t = std::time::Instant::now();
        let b = l
            .blast(
                &Seed {
                    name: Some(q.clone()),
                    chunk_id: None,
                },
                Direction::Both,
                None,
                None,
            )
            .unwrap();
        println!("  blast {:?} {} edges {}", t.elapsed(), b.message, b.edges.len());
    }
}
