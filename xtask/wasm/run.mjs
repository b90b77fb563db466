// Asks a module of xtask-wasm all requests of a file, each behind its length (4 bytes, little-endian), and prints the answers,
// one a line, as 16 hexadecimal digits. What traps says so instead.
import { readFileSync } from "node:fs";

const [module, requests] = process.argv.slice(2).map((file) => readFileSync(file));
const compiled = new WebAssembly.Module(module);
let { exports } = new WebAssembly.Instance(compiled, {});
const lines = [];
for (let at = 0; at < requests.length; ) {
    const length = requests.readUInt32LE(at);
    at += 4;
    try {
        const place = exports.room(length) >>> 0;
        new Uint8Array(exports.memory.buffer, place, length).set(requests.subarray(at, at + length));
        lines.push(BigInt.asUintN(64, exports.answer()).toString(16).padStart(16, "0"));
    } catch (error) {
        lines.push(`trap: ${error.message}`);
        ({ exports } = new WebAssembly.Instance(compiled, {}));
    }
    at += length;
}
console.log(lines.join("\n"));
