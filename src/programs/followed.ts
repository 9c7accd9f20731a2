// The law of what is looked at before a program starts (ADR 55): its words either lead to the files that it loads, and
// those are trusted with their content; or something of the working folder could answer in their stead, and then nothing
// that ran there since may have changed it. A list of what can be followed decides, and what is not in it is not.
import path from 'node:path';
import type { FileContent } from '../files/index.js';
import { contentOf, madeNames } from '../files/index.js';
import { FOLDER_VARIABLE, liesIn } from './guarded.js';
import {
  filesOfWords,
  isFile,
  isInterpreter,
  isNode,
  isRelative,
  loadedFirst,
  runsPackages,
  scriptAt,
} from './words.js';

/**
 * The command of a program with absolute paths, its environment, and the folders that it could load files
 * from.
 */
export interface ProgramWords {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The trusted folder that the program runs in. Absent if it runs in a neutral folder. */
  readonly stands?: string;
  /** The session's protected folder. */
  readonly guarded: string | undefined;
}

/** The files that a program loads, as far as they can be determined. */
export interface Followed {
  readonly files: readonly FileContent[];
  /** The folder that could supply other files, and the reason. Absent if `files` is complete. */
  readonly unseen?: { readonly folder: string; readonly why: string };
}

/**
 * Matches the names of environment variables that make a program load other code, read other settings or find
 * other programs.
 */
const LOADING =
  /^(?:NODE_(?:OPTIONS|PATH)|PYTHON(?!UNBUFFERED|IOENCODING|UTF8|DONTWRITEBYTECODE).*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|LD_.*|DYLD_.*|GCONV_PATH|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|PHP.*|LUA_.*|PATH|HOME|SHELL|EDITOR|VISUAL|PAGER|IFS|CLASSPATH|JAVA_TOOL_OPTIONS|_?JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_.*|GRADLE_.*|GIT_.*|SSH_ASKPASS|NPM_CONFIG_.*|PNPM_.*|YARN_.*|BUN_.*|DENO_.*|TSX_.*|TS_NODE_.*|UV_.*|PIP_.*|VIRTUAL_ENV|CARGO.*|RUST.*|GO(?:FLAGS|PATH|ROOT|ENV|TOOLCHAIN)|DOTNET_.*|COREHOST_.*|OPENSSL_(?:CONF|MODULES|ENGINES)|XDG_.*|MAKE.*)$/iu;

/** Returns the environment variables that can make a program load code not specified in its command. */
export function loadingVariables(env: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(env).filter((name) => LOADING.test(name));
}

/** Programs that start other programs, specified in their arguments or in a folder's configuration. */
const STARTS_OTHERS: ReadonlySet<string> = new Set(
  `env nice nohup timeout stdbuf setsid sudo doas xargs time make gmake just task rake cargo go gradle mvn ant java dotnet
   docker podman compose poetry pdm hatch bundle mix composer nix direnv mise asdf script watch tmux ssh`.split(
    /\s+/u,
  ),
);

/** Node flags that do not load code. */
const LOADS_NOTHING =
  /^--(?:no-warnings|no-deprecation|enable-source-maps|experimental-strip-types|experimental-transform-types|experimental-vm-modules|max-old-space-size=\d+|stack-trace-limit=\d+|disable-warning=\w+|trace-[\w-]+|unhandled-rejections=\w+|dns-result-order=\w+)$/u;

/**
 * Kinds of commands. `why` returns the reason that a folder could supply other files. The first kind that
 * fits applies.
 */
const KINDS: readonly {
  readonly fits: (program: string) => boolean;
  readonly why: (words: Place) => string | undefined;
}[] = [
  { fits: isNode, why: ofNode },
  { fits: isInterpreter, why: ofInterpreter },
  { fits: runsPackages, why: ofRunner },
  { fits: (program) => STARTS_OTHERS.has(path.basename(program)), why: ofStarter },
  { fits: () => true, why: ofOthers },
];

interface Place extends ProgramWords {
  readonly program: string;
  readonly args: readonly string[];
  readonly files: readonly FileContent[];
  /** Whether an argument is a path into the folder, or contains one. */
  readonly leadsIn: (word: string) => boolean;
}

/**
 * Returns the files that a program's command loads and, if it could load others from a folder, the reason.
 */
export function followed(given: ProgramWords): Followed {
  const { words, env = {}, stands, guarded } = given;
  const [program = '', ...args] = words;
  const files = unique([...filesOfWords(words), ...filesOfVariables(given)]);
  const folder = stands ?? guarded;
  if (folder === undefined) return { files };
  const leadsIn = (word: string): boolean => {
    const value = word.replace(/^--?[\w-]+=/u, '');
    const isNamed = value
      .split(folder)
      .slice(1)
      .some((rest) => !/^[\w.-]/u.test(rest));
    return isNamed || word.includes(FOLDER_VARIABLE) || (path.isAbsolute(value) && liesIn(value, folder));
  };
  const place = { ...given, program, args, files, leadsIn };
  const [loading] = loadingVariables(env).filter((name) => stands !== undefined || leadsIn(env[name] ?? ''));
  const why =
    loading === undefined
      ? KINDS.find(({ fits }) => fits(program))?.why(place)
      : `\`${loading}\` in its environment may make it load other files`;
  return why === undefined ? { files } : { files, unseen: { folder, why } };
}

/** Returns the files that the values of environment variables refer to. */
function filesOfVariables({ env = {}, stands }: ProgramWords): readonly FileContent[] {
  return Object.values(env).flatMap((value) => {
    const file = stands !== undefined && isRelative(value) ? path.resolve(stands, value) : value;
    if (!path.isAbsolute(file) || !isFile(file)) return [];
    return [...filesOfWords(['', file]), contentOf(file)];
  });
}

/**
 * Returns the reason that Node could load files other than its script, its preloaded modules and their
 * imports; `undefined` if it could not.
 */
function ofNode({ program, args, files, stands, leadsIn }: Place): string | undefined {
  const script = scriptAt(program, args);
  const flags = script < 0 ? args : args.slice(0, script);
  if (stands === undefined && ![...flags, args[script] ?? ''].some(leadsIn)) return undefined;
  const isNamed = (file: string | undefined): boolean =>
    file !== undefined && path.isAbsolute(file) && isFile(file);
  if (!isNamed(args[script])) return 'the file it runs is not one of its arguments';
  const first = loadedFirst(flags);
  const strange = flags.find((word) => !LOADS_NOTHING.test(word) && !first.includes(word) && !isLoader(word));
  if (strange !== undefined) return `\`${strange}\` may make it load other files`;
  if (!first.every(isNamed)) return 'a preloaded module is not a file';
  const made = madeNames(files);
  return made === undefined ? undefined : `\`${made}\` loads files with computed names`;
}

function isLoader(word: string): boolean {
  return loadedFirst([word]).length > 0;
}

/**
 * Like `ofNode`, but for shells and interpreters of other languages. The files that their scripts load are
 * not tracked.
 */
function ofInterpreter({ program, args, stands, leadsIn }: Place): string | undefined {
  const script = scriptAt(program, args);
  const own = script < 0 ? args : args.slice(0, script + 1);
  if (stands === undefined && !own.some(leadsIn)) return undefined;
  return `hitl does not track what \`${path.basename(program)}\` loads`;
}

/**
 * Like `ofNode`, but for package runners, which can run packages from their folder. Arguments after the
 * package name belong to the package.
 */
function ofRunner({ program, args, stands, leadsIn }: Place): string | undefined {
  const isOne = ['npx', 'bunx', 'uvx'].includes(path.basename(program)) || args[0] === 'dlx';
  const name = args.findIndex((word) => !word.startsWith('-') && word !== 'dlx');
  const own = name < 0 || !isOne ? args : args.slice(0, name + 1);
  if (stands === undefined && !own.some(leadsIn)) return undefined;
  return `\`${path.basename(program)}\` may run code from that folder`;
}

function ofStarter({ program, args, stands, leadsIn }: Place): string | undefined {
  if (stands === undefined && ![program, ...args].some(leadsIn)) return undefined;
  return `\`${path.basename(program)}\` starts other programs`;
}

/**
 * Like `ofNode`, but for any other program. In a neutral folder its arguments are treated as data, unless the
 * program itself is in the protected folder.
 */
function ofOthers({ program, stands, leadsIn }: Place): string | undefined {
  if (stands === undefined && !leadsIn(program)) return undefined;
  return `hitl cannot tell what \`${path.basename(program)}\` loads`;
}

function unique(files: readonly FileContent[]): readonly FileContent[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
