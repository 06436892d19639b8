// Pastes every block of a page into a shell, as a reader does, and compares the output with the
// page.
//
//   node paste_test.mjs BERTH PAGE.md...
//
// checks the pages; with BERTH_UPDATE_GOLDEN=1 it writes the shown outputs and files anew.
//
// Each page is read from top to bottom in a fresh folder that looks like the project's root. A
// comment on the line before a block says what happens to the block. In the README, a tutorial and
// a how-to, a block of `sh` without a comment is run, and any other block needs a comment; in other
// pages, a block without a comment is left alone.
//
//   <!-- test: run -->                 the block is run
//   <!-- test: save FILE -->           the block is written to FILE
//   <!-- test: same as FILE -->        the block equals the project's FILE, byte for byte; the
//                                      folder gets that FILE
//   <!-- test: part of FILE -->        the block's lines stand in the project's FILE, in a row
//   <!-- test: output -->              the block is what the last commands printed
//   <!-- test: output lines 1-3 9 last-2 -->  the block is these lines of the output, with its last
//                                      two at the end; `...` stands for the lines left out
//   <!-- test: fails -->               the commands have to exit with 1 or 2
//   <!-- test: skip: REASON -->        nothing is done, for this reason
//
// The time that a run took is different each time and is not compared. A number in bold type in the
// text is quoted from a run: it has to stand in an output of the page above it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const update = process.env.BERTH_UPDATE_GOLDEN !== undefined;

/// The blocks of a page: their language, their test, the numbers of their first and last line (from
/// 0, without the fences), and the bold numbers in the text since the previous block.
function blocks_of(lines) {
  const blocks = [];
  let open = null;
  let bold = [];
  for (const [at, line] of lines.entries()) {
    const fence = line.match(/^(\s*)```(\S*)\s*$/);
    if (open && fence) {
      blocks.push({ ...open, end: at, text: lines.slice(open.begin, at).map((l) => `${l}\n`).join('') });
      open = null;
    } else if (fence) {
      const mark = at > 0 ? lines[at - 1].match(/^<!-- test: (.*?) -->$/) : null;
      open = { language: fence[2], test: mark?.[1] ?? '', begin: at + 1, bold, indented: fence[1] !== '' };
      bold = [];
    } else if (!open) {
      for (const match of line.matchAll(/\*\*([-−]?\d[^*]*)\*\*/g)) {
        bold.push({ line: at + 1, text: match[1] });
      }
    }
  }
  return { blocks, bold };
}

/// A folder as the reader's: what the project holds, and the program where setup.sh builds it.
function fresh_folder(berth) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-paste-'));
  for (const name of ['docs', 'experiments', 'topologies', 'workloads']) {
    symlinkSync(join(root, name), join(folder, name));
  }
  mkdirSync(join(folder, 'build/release'), { recursive: true });
  symlinkSync(berth, join(folder, 'build/release/berth'));
  return folder;
}

/// Runs commands in the folder; what they export is there for the next ones.
function run(folder, page, commands) {
  const script = `set -euo pipefail\n[ ! -e .exported ] || . ./.exported\n${commands}\nexport -p > .exported\n`;
  const program = join(folder, 'build/release/berth');
  // The README says how to get berth into the PATH; all other pages take that as done.
  const path = page === 'README.md' ? process.env.PATH : `${dirname(program)}:${process.env.PATH}`;
  const done = spawnSync('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: folder, encoding: 'utf8', timeout: 600000, maxBuffer: 1 << 28,
    env: { PATH: path, BERTH: program, HOME: folder, LANG: 'C.UTF-8', NO_COLOR: '1' },
  });
  return { status: done.status, output: done.stdout ?? '' };
}

/// The same text for all lines that differ by how long something took.
const timeless = (line) => line.replace(/\bin \d+(\.\d+)? (s|ms|min)\b/g, 'in TIME');

/// The lines `1-3 9` of an output, with `...` for each run of lines that is left out.
function chosen_lines(output, ranges) {
  const lines = output.replace(/\n$/, '').split('\n');
  if (!ranges) {
    return lines;
  }
  const shown = [];
  let next = 1;
  for (const range of ranges.trim().split(/\s+/)) {
    const [first, last] = [range.split('-')[0], Number(range.split('-').at(-1))];
    const [from, to] = first === 'last' ? [lines.length - last + 1, lines.length] : [Number(first), last];
    if (from > next) {
      shown.push('...');
    }
    shown.push(...lines.slice(from - 1, to));
    next = to + 1;
  }
  if (next <= lines.length) {
    shown.push('...');
  }
  return shown;
}

/// Reads one page; returns what is wrong with it.
function paste(berth, page) {
  const path = resolve(root, page);
  const lines = readFileSync(path, 'utf8').split('\n');
  const { blocks, bold } = blocks_of(lines);
  const wrong = [];
  const changes = [];
  const folder = fresh_folder(berth);
  // Whether a reader follows this page step by step.
  const followed = !page.startsWith('docs/reference/');
  let printed = null;
  let all_printed = '';
  const quote = (numbers) => {
    for (const { line, text } of numbers) {
      if (!all_printed.includes(text)) {
        wrong.push(`${page}:${line}: **${text}** stands in no output above it`);
      }
    }
  };
  for (const block of blocks) {
    const complain = (what) => wrong.push(`${page}:${block.begin}: ${what}`);
    const [, verb, rest] = block.test.match(/^(save|same as|part of|output|run|fails|skip:|$)\s*(.*)$/) ?? [null, null, ''];
    quote(block.bold);
    if (verb === '' && !followed) {
      continue;
    }
    if (block.indented) {
      complain('a block within a list cannot be pasted as it stands: expected it at the left margin');
    } else if (verb === null) {
      complain(`unknown test '${block.test}'`);
    } else if (verb === 'skip:') {
      if (rest === '') {
        complain('a block is skipped without a reason');
      }
    } else if (verb === 'save') {
      writeFileSync(join(folder, rest), block.text);
    } else if (verb === 'same as') {
      const whole = existsSync(join(root, rest)) ? readFileSync(join(root, rest), 'utf8') : null;
      if (whole !== null && whole !== block.text && update) {
        changes.push({ ...block, shown: whole.replace(/\n$/, '').split('\n') });
      } else if (whole !== block.text) {
        complain(`the block is not ${rest} as it is`);
      }
    } else if (verb === 'part of') {
      const whole = readFileSync(join(root, rest), 'utf8').split('\n').map((line) => line.trim());
      const part = block.text.trim().split('\n').map((line) => line.trim());
      if (!whole.some((_, at) => part.every((line, i) => whole[at + i] === line))) {
        complain(`the block's lines do not stand in ${rest}`);
      }
    } else if (verb === 'output') {
      if (printed === null) {
        complain('an output without commands before it');
        continue;
      }
      const shown = chosen_lines(printed, rest.replace(/^lines/, ''));
      const expected = block.text.replace(/\n$/, '').split('\n');
      if (shown.map(timeless).join('\n') === expected.map(timeless).join('\n')) {
        continue;
      }
      if (update) {
        changes.push({ ...block, shown });
      } else {
        complain(`the output is another one: expected what the page shows\n${expected.join('\n')}\nbut it is\n${shown.join('\n')}`);
      }
    } else if (block.language === 'sh') {
      const done = run(folder, page, block.text);
      printed = done.output;
      all_printed += printed;
      if (!(verb === 'fails' ? [1, 2] : [0]).includes(done.status)) {
        complain(`the commands exit with ${done.status}:\n${block.text}${printed}`);
      }
    } else {
      complain(`a block of '${block.language}' that nobody checks: expected a comment <!-- test: ... --> before it`);
    }
  }
  quote(bold);
  if (wrong.length === 0 || process.env.BERTH_KEEP === undefined) {
    rmSync(folder, { recursive: true, force: true });
  } else {
    wrong.push(`the folder is kept: ${folder}`);
  }
  for (const { begin, end, shown } of changes.reverse()) {
    lines.splice(begin, end - begin, ...shown);
  }
  if (changes.length > 0 && wrong.length === 0) {
    writeFileSync(path, lines.join('\n'));
  }
  console.log(`${page}: ${blocks.length} blocks, ${wrong.length} wrong`);
  return wrong;
}

const [berth, ...pages] = process.argv.slice(2);
if (!berth || pages.length === 0) {
  console.error('usage: node paste_test.mjs BERTH PAGE.md...');
  process.exit(2);
}
const wrong = pages.flatMap((page) => paste(resolve(berth), page));
for (const what of wrong) {
  console.error(what);
}
process.exit(wrong.length === 0 ? 0 : 1);
