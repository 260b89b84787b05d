// Plays the public cache tests with their own engine, unchanged: only `fetch` goes to a driver (Sources/Programs/CacheSuite/Driver.swift).
// usage: node cache-engine.mjs <checkout of http-tests/cache-tests> <port> <driver> [arguments of the driver]
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'

const [checkout, port, ...command] = process.argv.slice(2)
const base = `http://127.0.0.1:${port}`
const load = path => import(pathToFileURL(resolve(checkout, path)))

const driver = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
createInterface({ input: driver.stdout }).on('line', line => {
  const reply = JSON.parse(line)
  waiting.get(reply.id)(reply)
  waiting.delete(reply.id)
})

// What a proxy in front of a browser makes of a lost connection; a strict `fetch` throws. The tests of closed connections take it.
const strict = process.env.STRICT === '1'
const plainFetch = globalThis.fetch
let lastId = 0
globalThis.fetch = async (url, init = {}) => {
  // What configures the server and reads its state does not go through a cache.
  if (!url.startsWith(`${base}/test/`)) return plainFetch(url, init)
  const id = ++lastId
  const reply = await new Promise((resolve, reject) => {
    waiting.set(id, resolve)
    init.signal?.addEventListener('abort', () => reject(new DOMException('it took too long', 'AbortError')))
    const test = url.slice(`${base}/test/`.length).split(/[/?]/)[0]
    const headers = init.headers.map(([name, value]) => [name, String(value)])
    const line = { id, test, url, method: init.method ?? 'GET', headers, body: init.body, cache: init.cache }
    driver.stdin.write(JSON.stringify(line) + '\n')
  })
  if ('error' in reply) {
    if (strict) throw new TypeError(reply.error)
    return { status: 502, headers: new Headers(), text: async () => '' }
  }
  return { status: reply.status, headers: new Headers(reply.headers), text: async () => reply.body }
}

const { runTests, getResults } = await load('test-engine/client/runner.mjs')
const { determineTestResult, resultTypes } = await load('test-engine/lib/results.mjs')
const suites = (await load('tests/index.mjs')).default
await runTests(suites, true, base)
driver.stdin.end()

const results = getResults()
const sums = {}
for (const suite of suites) {
  for (const test of suite.tests) {
    if (!(test.id in results)) continue
    const kind = test.kind ?? 'required'
    const sum = sums[kind] ??= { passed: 0, all: 0, others: [] }
    const verdict = determineTestResult(suites, test.id, results)
    sum.all += 1
    if (verdict === resultTypes.pass || verdict === resultTypes.yes) sum.passed += 1
    else sum.others.push(`  ${test.id}: ${verdict[2]} ${results[test.id] === true ? 'a test that it needs failed' : results[test.id].join(' ')}`)
  }
}
for (const kind of ['required', 'optimal', 'check']) console.log(`${kind} ${sums[kind].passed}/${sums[kind].all}`)
for (const kind of ['required', 'optimal']) console.log(`${kind}, not passed:\n${sums[kind].others.join('\n')}`)
// One required test has an invented transfer coding, which libcurl refuses.
process.exit(sums.required.passed >= sums.required.all - 1 && sums.optimal.passed >= 68 ? 0 : 1)
