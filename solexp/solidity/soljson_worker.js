// A Solidity compiler that stays loaded: node soljson_worker.js SOLJSON
//
// Frames on stdin and stdout are a 4-byte big-endian length and that many bytes. The first frame out is the compiler's
// own version. After that each frame in is a standard-JSON input, answered by one status byte ("=" for the compiler's
// answer, "!" for an abort) in front of the text. After an abort the compiler's memory cannot be trusted: we exit.
"use strict";

const fs = require("fs");
const path = require("path");
const threads = require("worker_threads");

// The compiler recurses as deep as the source nests. Only a thread can be given a stack of a chosen size.
const STACK_MB = 64;

if (threads.isMainThread) {
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
        const reason = error && error.message ? `${error.name}: ${error.message}` : String(error);
        send(Buffer.from(`!${reason.slice(0, 4000)}`, "utf8"));
        process.exit(71);
      }
      send(answer);
    }
  });
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

  // The heap's view is replaced whenever the memory grows: always read it afresh.
  const text = (pointer) => {
    const heap = soljson.HEAPU8;
    return Buffer.from(heap.subarray(pointer, heap.indexOf(0, pointer)));
  };
  return {
    version: () => text(version()).toString("utf8"),
    standard: (input) => {
      const pointer = alloc(input.length + 1);
      if (!pointer) throw new Error("out of memory");
      soljson.HEAPU8.set(input, pointer);
      soljson.HEAPU8[pointer + input.length] = 0;
      // No callback: whatever is not among the sources cannot be imported.
      const result = text(compile(pointer, 0, 0));
      // From 0.6 on, solidity_alloc's memory is freed by reset.
      if (reset) reset();
      else if (free) free(pointer);
      return result;
    },
  };
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
