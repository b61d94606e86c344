// A Solidity compiler that stays loaded: node soljson_worker.js SOLJSON
//
// Frames on stdin and stdout are a 4-byte big-endian length and that many bytes. The first frame out is the compiler's
// own version. After that each frame in is a standard-JSON input, answered by one status byte in front of the text:
// "=" the compiler's answer, "!" why it aborted, "~" an answer given in spite of an abort. After an abort the compiler's
// memory cannot be trusted: we exit.
"use strict";

const fs = require("fs");
const path = require("path");
const threads = require("worker_threads");

// The compiler recurses as deep as the source nests. Only a thread can be given a stack of a chosen size.
const STACK_MB = 64;

if (threads.isMainThread) {
  // Optimising early pays off after minutes, and most workers live for less.
  require("v8").setFlagsFromString("--wasm-tiering-budget=20000000");
  const parent = process.ppid;
  const compiler = new threads.Worker(__filename, {
    argv: process.argv.slice(2),
    resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: 4096 },
    stdout: true,
    stderr: true,
  });
  compiler.on("error", (error) => {
    fs.writeSync(2, `${error && error.stack ? error.stack : error}\n`);
    process.exit(70);
  });
  compiler.on("exit", (code) => process.exit(code));
  // A compiler that never ends must not outlive the process that asked it.
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  }, 1000);
} else {
  serve(path.resolve(process.argv[2]));
}

function serve(soljsonPath) {
  // Some compilers print; the frames' channel must stay clean.
  const print = (...words) => {
    fs.writeSync(2, `${words.join(" ").slice(0, 2000)}\n`);
  };
  for (const name of ["log", "info", "warn", "error", "debug"]) console[name] = print;
  const sink = { write: (text) => (print(String(text)), true), on() {}, once() {}, emit() {} };
  for (const name of ["stdout", "stderr"]) {
    Object.defineProperty(process, name, { value: sink, configurable: true });
  }
  process.emitWarning = () => {};

  cacheTables();
  const soljson = require(soljsonPath);
  // Emscripten would turn an abort into an exit or a rethrow of its own.
  process.removeAllListeners("uncaughtException");
  process.removeAllListeners("unhandledRejection");
  whenReady(soljson, () => {
    const compile = bind(soljson);
    send(Buffer.from(compile.version(), "utf8"));
    for (;;) {
      const input = receive();
      if (input === null) process.exit(0);
      let answer;
      try {
        answer = Buffer.concat([Buffer.from("="), compile.standard(input)]);
      } catch (error) {
        const refusal = syntaxErrors(compile, input);
        if (refusal) {
          send(Buffer.concat([Buffer.from("~"), refusal]));
          process.exit(71);
        }
        const reason = error && error.message ? `${error.name}: ${error.message}` : String(error);
        send(Buffer.from(`!${reason.slice(0, 4000)}`, "utf8"));
        process.exit(71);
      }
      send(answer);
    }
  });
}

// Every C++ call that may throw goes through JavaScript, which fetches the callee from a table. The engine's own get()
// is slow enough to be a quarter of a large compilation.
function cacheTables() {
  const table = WebAssembly.Table.prototype;
  const { get, set, grow } = table;
  let kept = null;
  let entries = [];
  table.get = function (index) {
    if (this !== kept) {
      kept = this;
      entries = [];
    }
    const entry = entries[index];
    return entry === undefined ? (entries[index] = get.call(this, index)) : entry;
  };
  for (const [name, change] of Object.entries({ set, grow })) {
    table[name] = function (...args) {
      kept = null;
      return change.apply(this, args);
    };
  }
}

function whenReady(soljson, go) {
  if (soljson.calledRun || "HEAPU8" in soljson) {
    try {
      bind(soljson).version();
      go();
      return;
    } catch (error) {
      // Not initialised yet.
    }
  }
  const before = soljson.onRuntimeInitialized;
  soljson.onRuntimeInitialized = () => {
    if (before) before();
    setImmediate(go);
  };
}

function bind(soljson) {
  const exported = (...names) => names.map((name) => soljson[name]).find((f) => f !== undefined);
  const alloc = exported("_solidity_alloc", "_malloc");
  const free = exported("_solidity_free", "_free");
  const reset = exported("_solidity_reset");
  const compile = exported("_solidity_compile", "_compileStandard");
  const version = exported("_solidity_version", "_version");

  const copied = (input) => {
    const pointer = alloc(input.length + 1);
    if (!pointer) throw new Error("out of memory");
    soljson.HEAPU8.set(input, pointer);
    soljson.HEAPU8[pointer + input.length] = 0;
    return pointer;
  };
  // The heap's view is replaced whenever the memory grows: always read it afresh.
  const text = (pointer) => {
    const heap = soljson.HEAPU8;
    return Buffer.from(heap.subarray(pointer, heap.indexOf(0, pointer)));
  };
  return {
    version: () => text(version()).toString("utf8"),
    standard: (input) => {
      const pointer = copied(input);
      // No callback: whatever is not among the sources cannot be imported.
      const result = text(compile(pointer, 0, 0));
      // From 0.6 on, solidity_alloc's memory is freed by reset.
      if (reset) reset();
      else if (free) free(pointer);
      return result;
    },
    older: (input) => {
      const pointer = copied(Buffer.from(JSON.stringify(input), "utf8"));
      return JSON.parse(text(soljson._compileJSONMulti(pointer, 0)).toString("utf8")).errors || [];
    },
  };
}

// 0.4.11 aborts on every syntax error when it is asked in standard JSON; in the older form it answers.
function syntaxErrors(compile, input) {
  if (!compile.version().startsWith("0.4.11+")) return null;
  try {
    const { sources } = JSON.parse(input.toString("utf8"));
    const contents = Object.entries(sources).map(([path, source]) => [path, source.content]);
    const errors = compile
      .older({ sources: Object.fromEntries(contents) })
      .map((line) => [line, /(?:^|: )Error: ([^\n]*)/.exec(line)])
      .filter(([, match]) => match !== null)
      .map(([line, match]) => ({
        type: "ParserError",
        severity: "error",
        message: match[1],
        formattedMessage: line,
      }));
    return errors.length ? Buffer.from(JSON.stringify({ errors }), "utf8") : null;
  } catch (error) {
    return null;
  }
}

function send(payload) {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(payload.length);
  for (const part of [header, payload]) {
    for (let sent = 0; sent < part.length; ) {
      try {
        sent += fs.writeSync(1, part, sent, part.length - sent);
      } catch (error) {
        if (error.code !== "EAGAIN") process.exit(72);
      }
    }
  }
}

function receive() {
  const header = readExactly(4);
  return header === null ? null : readExactly(header.readUInt32BE(0));
}

function readExactly(length) {
  const buffer = Buffer.alloc(length);
  for (let got = 0; got < length; ) {
    let n;
    try {
      n = fs.readSync(0, buffer, got, length - got, null);
    } catch (error) {
      if (error.code === "EAGAIN") continue;
      if (error.code === "EOF") return null;
      throw error;
    }
    if (n === 0) return null;
    got += n;
  }
  return buffer;
}
