// Made by `cargo run -p forge-memory-redact --example hidden-table`: do not edit.
// Each range is the distance from the end of the last one and how many more follow, in base 36.

export const HIDDEN =
  '0.8 3.k 2o.w e iq jx 283.1 190.1 2e.4 1ks.4 p.6 1e.f 1ht 1us 14f0.f 6o 4h 28.b ab9.f qxt.3 440.7 h406.35r'

export const EMOJI =
  'z 7 6.9 34 5 68e d 61 n 2j.5 g.1 a8.1 d 4n q.a 5.2 5k 6g.1 b a 1n.3 2.4 a 3 3.1 3 5 3 2.1 3 4 4.1 9.2 6 2 6.b' +
  ' c.1 3 2.1 2 j 3.1 j.5 2 2.1 4.1 6 3.1 5.1 c.1 6.1 3 6.1 2 2.1 l.1 6.5 2.3 3 5 3 3.5 2 3 2 2 7 4 7 b.1 g 3 5 2' +
  ' 5.2 2 c.1 1d.2 a f f ad.1 cw.2 k.1 1g 5 yj d gq 2 2fzf 5n 4h.1 d.1 f 3.9 24.p 2.1 o l 3.8 m.1 4v.x 3.33 3.1' +
  ' 2.2 3.2a 3.2 2.7a 2.1q c.5 2.n 8.1 3.7 d 3.3 3 5.1 e.1 3 9.1 a 6.2 d.2 9.2 3 2 5 7 4 7.2d 1d.1x 6.7 3.4 3.9 4' +
  ' 2.1 4 3.9 6c.b 5 7w.1a 2.9 2.54 35.c 4.1y 2 4.h 2.c 4.b'

export const PICTOGRAPH =
  '4p 5 68e d 61 n 2j.5 g.1 a8.1 d 4n q.a 5.2 5k 6g.1 b a 1n.3 2.4 a 3 3.1 3 5 3 2.1 3 4 4.1 9.2 6 2 6.b c.1 3' +
  ' 2.1 2 j 3.1 j.5 2 2.1 4.1 6 3.1 5.1 c.1 6.1 3 6.1 2 2.1 l.1 6.5 2.3 3 5 3 3.5 2 3 2 2 7 4 7 b.1 g 3 5 2 5.2 2' +
  ' c.1 1d.2 a f f ad.1 cw.2 k.1 1g 5 yj d gq 2 2fzf 14.3 2t.b g.1 g f.1 12.9 35.1 d.1 f 3.9 l.1i s.e b l 3.8 2.3' +
  ' a.m 7.57 3.33 3.1 2.2 3.2a 3.2 2.3 6.71 2.1q c.5 2.n 8.1 3.7 d 3.3 3 5.1 e.1 3 9.1 a 6.2 d.2 9.2 3 2 5 7 4' +
  ' 7.2d 1d.1x 6.7 3.g 4 2.5 3.c 65.k s.3 1l.7 b.5 15.7 v.1 d.3 3.d a.12 d.1a 2.9 2.54 2h.7 f.41 75.sd'

export const MODIFIER = '2qrf.4'

export const JOINS_NEXT =
  '17k 6 2 2.4 5.c 2.6 2.1 10.1 9.f j.11 2.1 a 2 2.1 15.2 3 j.2 6.3 2.8 2 2 2.1 w.a 4.e 3.3 2 3.2 3.5 23.w 2f.4 3' +
  ' 2.9 2 b 2.3 3 u 3.4 2 h.9 6.1 3.5 2.e 30f p.2g f.x 2 sd2.1e jf2.4 9 6.9 2.2 b.3 42 2 4.2 2.1 2 3 t.1 9e.x 2' +
  ' bk.1 2.1 i.l 1u.2 2.g d.2 t.3 3.b 1b 2.1 5 3.1 2.1 2 3 6.1 16wl.1v'

export const JOINS_LAST =
  '17k 2.t 2.9 10.1 2.2 2.2m 2 p.1 b.2 3 h 2.t u.1e 23.w 2e.o 8 2.3 2.3 6.i 4 3.6 h.c 2.q 30f p.2g f.x 2 sd2.1d' +
  ' jf3.5 2 2.1 4.8 2.9 3 7.4 41.h o.5 9f.y bj.2 2.1 2x.k d.3 s.h 1b 2.4 2.7 2.3 5.1 16wm.1v'

export const TRANSPARENT =
  'lc.26 2.v 7o.6 7c.18 2 2.1 2.1 2.2 1z.a 1d.k h 2u.6 3.5 3.1 2.3 y 2 v.q 2k.a 1n.8 a p.3 2.8 2.2 2.4 18.2 1o.8' +
  ' 17.n 2.v 1k 2 5.7 5 4.6 b.1 u 1n 5.3 9 l.1 r 3.1 1m 5.1 5.1 3.2 4 v.1 4 c.1 1m 5.4 2.1 5 l.1 n.5 2 1n 3 2.3 9' +
  ' 6.3 c.1 v 1q d 1f 4 1k 2.2 6.2 2.3 8.1 c.1 u 1n 3 7 6.1 l.1 t.1 1m.1 5.3 9 l.1 u 21 8.2 2 2j 3.6 d.7 2r 3.8' +
  ' c.6 22.1 s 2 2 1k.d 2.4 2.1 6.a 2.z a 2v.3 2.5 2.1 3.1 q.1 5.2 h.3 e 3.1 7 g jk.2 qb.2 u.1 v.1 v.1 1w.6 9 3.a' +
  ' a 4o.1 z 3b.2 5.1 a 7.2 64.1 3 1n 2.6 2 2 3.7 7.9 3 1d.1s g.3 1d 2.4 2 6 15.8 d.1 x.3 3.1 2.2 1l 2.1 4 2.2' +
  ' 1n.7 3.1 49.2 2.c 2.6 5 7 4.1 5j.1r k1.w 2db.2 3y 2p.v ff.3 30.1 n9x.3 2.9 x.1 29.1 7l 4 5 q.1 6 48.1 r.h e' +
  ' 13.7 q.a 1b.2 1d 3.3 3.1 14 1w.5 3.1 3.1 d 9 1c 1g 2.2 3.1 6.1 2 17.1 9 6n 3 5 fn5 le.f r2 6b 46.4 1af.2 2.1' +
  ' 6.3 15.2 5 4m.1 fy.3 1u.4 8u.1 v.4 x.f 1z.a 1e.3 3g 1j.e 16 3.1 b.2 1e.3 3.1 8 1q.2 11.4 2.7 1r d.1 1h.8 b.3' +
  ' 3 2o.2 3 2.1 7 3 4e 4.7 m.1 1m.1 4 12.6 4.4 1z.5 e 2 2 f.1 2e.7 3.2 2 o 2d.5 2 5.1 2.1 6n.3 7.1 2.1 s.1 2e.7' +
  ' 3 2.1 2z 2 3.5 2 2u 2 3.3 2.4 78.8 2.1 75.1 2 5 41.3 3.1 5 x.9 15.5 3.3 9 a.5 3.2 1b.c 2.1 5j 2.2 2 5m.6 2.5' +
  ' 2 2b.l 3.6 2.1 2.1 3f.5 4 2.1 2.6 2 21.1 4 2 2h 77.1 c.1 1h.4 6 2 o 44m 7.e 8uh.b 4.2 1xd.4 1o.6 t5 1s.3 2a' +
  ' f5l.1 3mq.19 3.m dd.1 1r.2 i.7 3.6 v.3 45.2 n.1 1ic.1i 5.1d 9 f n.4 2.e 11t.6 2.g 3.6 2.1 2.4 2t 4h.6 ag 1q.3' +
  ' e5.3 73.1 6s 3 8.1 6 d7.6 32.7'

export const VIRAMA =
  '1u5 3k 3k 3k 3k 3k 3k 3k 32.1 h 3h 34 3k 5m 51.1 1cq.1 v 4e i6 6c 2u.1 1z.1 3gs o7b 12 48 3z 31 8m 6v imq 16v' +
  ' 16 f 1m 3e.1 3w 39 51 2r 3l.2 36 3k 71 3k 3b 39 7i 78.1 4i 2c j 2a bq 79.1 2a bu.1 d0t'
