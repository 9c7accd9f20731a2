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

/** A program's absolute command, and its folder. */
export interface ProgramWords {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The trusted folder it runs in; absent for a neutral one. */
  readonly stands?: string;
  /** The session's protected folder. */
  readonly guarded: string | undefined;
}

/** The reviewed parts of a program. */
export interface Followed {
  readonly files: readonly FileContent[];
  /** The unreviewed part; absent if `files` is everything that a folder could supply. */
  readonly unseen?: { readonly folder: string; readonly why: string };
}

/**
 * Variables, as names or prefixes, that make a program load other code, read other settings or find other
 * programs.
 */
const LOADING =
  /^(?:NODE_(?:OPTIONS|PATH)|PYTHON(?!UNBUFFERED|IOENCODING|UTF8|DONTWRITEBYTECODE).*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|LD_.*|DYLD_.*|GCONV_PATH|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|PHP.*|LUA_.*|PATH|HOME|SHELL|EDITOR|VISUAL|PAGER|IFS|CLASSPATH|JAVA_TOOL_OPTIONS|_?JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_.*|GRADLE_.*|GIT_.*|SSH_ASKPASS|NPM_CONFIG_.*|PNPM_.*|YARN_.*|BUN_.*|DENO_.*|TSX_.*|TS_NODE_.*|UV_.*|PIP_.*|VIRTUAL_ENV|CARGO.*|RUST.*|GO(?:FLAGS|PATH|ROOT|ENV|TOOLCHAIN)|DOTNET_.*|COREHOST_.*|OPENSSL_(?:CONF|MODULES|ENGINES)|XDG_.*|MAKE.*)$/iu;

/** Returns environment variables by which a program loads other code than its command says. */
export function loadingVariables(env: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(env).filter((name) => LOADING.test(name));
}

/** Programs that start others named in their command, or by a folder in it. */
const STARTS_OTHERS: ReadonlySet<string> = new Set(
  `env nice nohup timeout stdbuf setsid sudo doas xargs time make gmake just task rake cargo go gradle mvn ant java dotnet
   docker podman compose poetry pdm hatch bundle mix composer nix direnv mise asdf script watch tmux ssh`.split(
    /\s+/u,
  ),
);

/** Node flags that load nothing. */
const LOADS_NOTHING =
  /^--(?:no-warnings|no-deprecation|enable-source-maps|experimental-strip-types|experimental-transform-types|experimental-vm-modules|max-old-space-size=\d+|stack-trace-limit=\d+|disable-warning=\w+|trace-[\w-]+|unhandled-rejections=\w+|dns-result-order=\w+)$/u;

/** Kinds of commands, with what a folder could supply instead; the first match applies. */
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
  /** Whether a word leads into the folder, or contains text that does. */
  readonly leadsIn: (word: string) => boolean;
}

/** Follows a program's command to the files that it loads, and reports where that is impossible. */
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
      : `\`${loading}\` of its environment may make it load other files`;
  return why === undefined ? { files } : { files, unseen: { folder, why } };
}

/** The files that are the values of variables. */
function filesOfVariables({ env = {}, stands }: ProgramWords): readonly FileContent[] {
  return Object.values(env).flatMap((value) => {
    const file = stands !== undefined && isRelative(value) ? path.resolve(stands, value) : value;
    if (!path.isAbsolute(file) || !isFile(file)) return [];
    return [...filesOfWords(['', file]), contentOf(file)];
  });
}

/** Follows Node's script, preloaded modules, and their imports. */
function ofNode({ program, args, files, stands, leadsIn }: Place): string | undefined {
  const script = scriptAt(program, args);
  const flags = script < 0 ? args : args.slice(0, script);
  if (stands === undefined && ![...flags, args[script] ?? ''].some(leadsIn)) return undefined;
  const isNamed = (file: string | undefined): boolean =>
    file !== undefined && path.isAbsolute(file) && isFile(file);
  if (!isNamed(args[script])) return 'none of its words is the file that it runs';
  const first = loadedFirst(flags);
  const strange = flags.find((word) => !LOADS_NOTHING.test(word) && !first.includes(word) && !isLoader(word));
  if (strange !== undefined) return `\`${strange}\` may make it load other files`;
  if (!first.every(isNamed)) return 'a module that it loads first is not a file';
  const made = madeNames(files);
  return made === undefined ? undefined : `\`${made}\` loads files by computed names`;
}

function isLoader(word: string): boolean {
  return loadedFirst([word]).length > 0;
}

/** For a shell or another language, what its file loads is not followed. */
function ofInterpreter({ program, args, stands, leadsIn }: Place): string | undefined {
  const script = scriptAt(program, args);
  const own = script < 0 ? args : args.slice(0, script + 1);
  if (stands === undefined && !own.some(leadsIn)) return undefined;
  return `what \`${path.basename(program)}\` loads is not followed`;
}

/** A package runner takes packages from its folder; words after the package belong to that. */
function ofRunner({ program, args, stands, leadsIn }: Place): string | undefined {
  const isOne = ['npx', 'bunx', 'uvx'].includes(path.basename(program)) || args[0] === 'dlx';
  const name = args.findIndex((word) => !word.startsWith('-') && word !== 'dlx');
  const own = name < 0 || !isOne ? args : args.slice(0, name + 1);
  if (stands === undefined && !own.some(leadsIn)) return undefined;
  return `\`${path.basename(program)}\` runs what a folder says`;
}

function ofStarter({ program, args, stands, leadsIn }: Place): string | undefined {
  if (stands === undefined && ![program, ...args].some(leadsIn)) return undefined;
  return `\`${path.basename(program)}\` starts other programs`;
}

/**
 * Any other program: in a neutral folder its arguments are data, unless the program itself is in the folder.
 */
function ofOthers({ program, stands, leadsIn }: Place): string | undefined {
  if (stands === undefined && !leadsIn(program)) return undefined;
  return `nobody knows what \`${path.basename(program)}\` loads`;
}

function unique(files: readonly FileContent[]): readonly FileContent[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
