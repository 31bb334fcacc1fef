// Times of many calls, boiled down. The names are those that the reference programs print.
//
// Every call is timed twice: on the clock, and in processor time of the process (user and system, all threads). Other work on
// the machine lengthens the clock, long calls more than short ones, but not the processor time: that is what is compared.

export function percentile(sorted, share) {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)]
}

export function median(values) {
  return percentile(
    [...values].sort((left, right) => left - right),
    0.5,
  )
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The mean of the middle half: as robust as the median, and finer than the microseconds that processor time comes in. */
function middleMean(sorted) {
  const quarter = Math.floor(sorted.length / 4)
  return mean(sorted.slice(quarter, sorted.length - quarter))
}

/** Takes what `measureCall` returns; microseconds. */
export function summarize(samples) {
  const cpu = Float64Array.from(samples, (sample) => sample.cpuUs).sort()
  const wall = Float64Array.from(samples, (sample) => sample.wallUs).sort()
  return {
    calls: samples.length,
    typicalUs: middleMean(cpu),
    meanUs: mean(cpu),
    p99Us: percentile(cpu, 0.99),
    wallP50Us: percentile(wall, 0.5),
    wallP99Us: percentile(wall, 0.99),
  }
}

/** Runs the timed operation for every query in several passes; returns a summary for each kind of query. */
export function timeQueries(queries, passes, operation) {
  const samples = {}
  for (let pass = 0; pass < passes; pass++) {
    for (const query of queries) {
      samples[query.kind] ??= []
      samples[query.kind].push(operation(query))
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([kind, list]) => [kind, summarize(list)]))
}

/** Joins the summaries of several rounds: the median of each number, so that one disturbed round does not decide. */
export function joinRounds(summaries) {
  const joined = {}
  for (const name of Object.keys(summaries[0])) joined[name] = median(summaries.map((summary) => summary[name]))
  return joined
}

function measureRaw(operation) {
  const before = process.cpuUsage()
  const start = process.hrtime.bigint()
  operation()
  const wallUs = Number(process.hrtime.bigint() - start) / 1e3
  const { user, system } = process.cpuUsage(before)
  return { wallUs, cpuUs: user + system }
}

let ownCostUs

/** Runs the operation once: how many microseconds it took on the clock and of processor time. */
export function measureCall(operation) {
  // What taking the time costs is found once, and taken off.
  ownCostUs ??= middleMean(Float64Array.from({ length: 2000 }, () => measureRaw(() => {}).cpuUs).sort())
  const { wallUs, cpuUs } = measureRaw(operation)
  return { wallUs, cpuUs: Math.max(0, cpuUs - ownCostUs) }
}
