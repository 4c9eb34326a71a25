/** Texts of any size that parsers may take too long for: deep, long, or many of the same. */

type Text = (size: number) => string;

/** A piece again and again, up to a size; `end` comes after it. */
const many =
  (piece: string, end = '', start = ''): Text =>
  (size) =>
    start + piece.repeat(size / piece.length) + end;

/** Pieces with a number in each. */
const each =
  (piece: (i: number) => string, end: string | ((count: number) => string) = '', start = ''): Text =>
  (size) => {
    const count = Math.floor(size / piece(1000).length);
    const pieces = Array.from({ length: count }, (_, i) => piece(i));
    return start + pieces.join('') + (typeof end === 'string' ? end : end(count));
  };

/** Brackets around brackets. */
const nested =
  (open: string, close: string, inside = '', start = ''): Text =>
  (size) => {
    const depth = size / (open.length + close.length);
    return start + open.repeat(depth) + inside + close.repeat(depth);
  };

/** The same names in blocks of a fixed depth. */
const inBlocks =
  (open: string, close: string, depth: number, piece: string, end = ''): Text =>
  (size) =>
    open.repeat(depth) + piece.repeat(size / piece.length) + close.repeat(depth) + end;

const handler =
  (text: Text): Text =>
  (size) =>
    `module.exports = async ({ args, configuration }) => {${text(size)}}`;

export const CODE: Record<string, Text> = {
  'many statements': many('f(a, 1);\n'),
  'many empty statements': many(';'),
  'open parentheses': many('('),
  'closed parentheses': nested('(', ')', 'a', 'x='),
  'open brackets': many('['),
  'open braces': many('{'),
  'closed braces': nested('{', '}'),
  'open objects': many('{a:', '', 'x='),
  'arrow functions in a row': many('a=>', 'a'),
  'arrow functions in defaults': many('(a=', '', 'x='),
  'async calls in defaults': many('async(a='),
  'generic async arrow functions': many('async <T>(', '', 'let x: any = '),
  'open type arguments': many('<A', '', 'let x: A'),
  'closed type arguments': nested('<A', '>', '', 'let x: A'),
  'types of functions': many('()=>', '', 'let x: '),
  'types in a union': many('a|', 'a', 'let x: '),
  'typed parameters': many('a: A, ', 'a) => a', 'x = ('),
  'assertions in a row': many('as a ', '', 'x = y '),
  'exclamation marks': many('!.a', '', 'x = y'),
  'comparisons that look like type arguments': many('a<b,c>('),
  'classes without an end': many('class A { x: '),
  'open templates': many('`${'),
  'templates in a row': many('`$' + '{a}`+', 'a', 'x='),
  'a template without an end': many('a$' + '{b}', '', 'x=`'),
  'tagged templates': many('``', '', 'x'),
  'a long regular expression': many('a|', 'b/', 'x=/'),
  'open groups': many('(?:', '', 'x=/'),
  'closed groups': nested('(', ')', '', 'x=/'),
  'named groups': each((i) => `(?<a${i}>b)`, '/', 'x=/'),
  'groups of one name': many('(?<a>b)|', 'c/', 'x=/'),
  'groups of one name in groups': (size) => `x=/${'(?:(?<a>b)|'.repeat(size / 12)}c${')'.repeat(size / 12)}/`,
  'references to a group': many('\\k<a>', '/', 'x=/(?<a>b)'),
  'references without an end': many('\\k<b', '/', 'x=/(?<a>b)'),
  'names of groups without an end': many('(?<a', '/', 'x=/'),
  'classes in classes': many('[a', '/v', 'x=/'),
  'scripts in a regular expression': many('\\p{Script=Kawi}', '/u', 'x=/'),
  'many regular expressions': many('/a/;'),
  'slashes and letters': many('/abcdefghi'),
  comments: many('/*a*/'),
  'a comment without an end': many('/*'),
  'HTML comments': many('<!--\n'),
  strings: many('"a";'),
  'a string without an end': many('a\\"', '', '"'),
  escapes: many('\\u0061', '"', 'x="'),
  operands: many('a+', 'a', 'x='),
  conditions: many('a?b:', 'c', 'x='),
  'conditions without an end': many('a?', '', 'x='),
  'calls in a row': many('(a)', '', 'x'),
  'members in a row': many('.a', '', 'x'),
  'unary operators': many('!', 'a'),
  'awaits in a row': many('await ', 'a'),
  'news in a row': many('new ', 'a'),
  variables: each((i) => `let a${i};`),
  'variables in broken code': each((i) => `let a${i};`, '(;'),
  'one variable in broken code': many('var a;', '(;'),
  'functions in broken code': each((i) => `function a${i}(){}`, '(;'),
  'exports in broken code': each((i) => `export const a${i}=1;`, '(;'),
  'keys in broken code': each((i) => `a${i}:1,`, '}(;', 'x={'),
  'parameters in broken code': each((i) => `a${i},`, 'b){}(;', 'function f('),
  'private names in broken code': each((i) => `#a${i};`, '}(;', 'class A{'),
  'a variable in deep blocks': inBlocks('{', '}', 150, 'var a;', '(;'),
  'names in deep blocks': inBlocks('{let b;', '}', 150, 'a;'),
  'names in deep functions': inBlocks('function f(){', '}', 150, 'a;'),
  'blocks with a variable': nested('{let b;', '}'),
  'functions in functions': nested('function f(){', '}'),
  'classes in classes of a script': many('class A{f(){'),
  labels: many('a:', ';'),
  'labels of many names': each((i) => `a${i}:`, ';'),
  'ifs without an end': many('if(a){'),
  'else after else': many('if(a);else ', ';'),
  'loops in loops': many('for(;;)', ';'),
  'destructuring without an end': many('{a:', '', 'let '),
  'keys of one name': many('a:1,', '}', 'x={'),
  'defaults in an object': many('a=1,', '}', 'x={'),
  'parameters of one name in strict code': many('a,', 'b){}', '"use strict";function f('),
  'many exports': many('module.exports=async()=>{};'),
  'exports in a row': many('module.exports=', '1'),
  'conditional exports of one large function': (size) =>
    `function f(){${'return a;'.repeat(size / 20)}}${'if(a)module.exports=f;'.repeat(size / 40)}`,
  'variables of variables': each(
    (i) => `var a${i + 1}=a${i};`,
    (count) => `module.exports=a${count};`,
  ),
  'choices of choices': each(
    (i) => `var a${i + 1}=x?(y?a${i}:a${i}):(z?a${i}:a${i});`,
    (count) => `module.exports=a${count};`,
    'var a0=f;',
  ),
  'calls of functions of functions': each(
    (i) => `function a${i + 1}(){return a${i}()}`,
    (count) => `module.exports=a${count}();`,
  ),
  'this in a row': many(`x=1${'+this'.repeat(500)};`),
  'returns in deep blocks': many(`${'if(a){'.repeat(100)}${'return;'.repeat(100)}${'}'.repeat(100)}`),
  'reads of arguments': handler(many('args.a;configuration.b;')),
  'reads of many arguments': handler(each((i) => `args.b${i};`)),
  'reads of many settings': handler(each((i) => `configuration.b${i};`)),
  'the request in a row': (size) => `module.exports=async(r)=>{${`r${'||r'.repeat(500)};`.repeat(size / 1500)}}`,
  'copies of the request': each((i) => `let a${i + 1}=a${i}.args;`, '}', 'module.exports=async(a0)=>{'),
  'one variable of many parts': each((i) => `a=r.args.b${i};a.c;`, '}', 'module.exports=async(r)=>{let a;'),
  'methods in a row': many('.map(f)', '.findLast(g)', 'x=[]'),
  'many methods': many('a.findLast(b);', '', 'const a=[];'),
  'globals in a row': many('fetch()&&'),
  'questions about globals': many('typeof fetch&&', 'fetch()'),
  'uses after statements': many('f();fetch();'),
  'uses in nested tests': (size) => `${'a&&('.repeat(150)}${'fetch(),'.repeat(size / 8)}1${')'.repeat(150)}`,
  'uses in one try': (size) => `try{${'a=fetch();'.repeat(size / 20)}}catch(e){${each((i) => `b${i}=1;`)(size / 2)}}`,
  'tests of constants of constants': (size) =>
    `const a=1;const b=${'a+'.repeat(size / 12)}1;const c=${'b+'.repeat(size / 12)}1;if(${'c+'.repeat(size / 12)}1)fetch();`,
  'loads after statements': many("f();require('./a');"),
  'paths of paths': (size) =>
    `const a=f(1);const b=f(${'a,'.repeat(size / 8)});const c=f(${'b,'.repeat(size / 8)});require(f(${'c,'.repeat(size / 8)}));`,
  'variables of many values': (size) =>
    `${Array.from({ length: 20 }, (_, i) => `var a${i + 1}=a${i};`.repeat(size / 400)).join('')}a20.findLast(f);`,
  'unknown names': (size) => `${'if(a)module.exports=b;'.repeat(size / 30)}`,
  'instances of a large class': (size) =>
    `class A{${each((i) => `f${i}(){}`)(size / 2)}}${'if(a)module.exports=new A();'.repeat(size / 60)}`,
  'returns after exports': (size) =>
    `${'if(a)module.exports=1;'.repeat(size / 50)}module.exports=2;${'if(a)return;'.repeat(size / 30)}`,
  'comments of a bundle': many('// a\n', '// node_modules/a/b\n'),
  'comments of a bundle, and templates': many('// a\n`b`;', '\n// node_modules/a/b\n'),
  'a long path of a package': many('node_modules/', ' x', '// '),
  'modules in a row': many("require('crypto').hash();"),
  'imports in broken code': many("import a from 'a';\n", '('),
  'lines of a conflict': many('<<<<<<< a\n'),
  'lines that look like a conflict': many('======= \n', '', 'x = (;\n'),
  'a shebang': many('a', '', '#!'),
  'names in escapes': many('\\u0061'),
  'signs that are none': many('#'),
  dots: many('a.'),
  commas: many(','),
  'line separators': many('\u2028'),
};

const manifest =
  (text: Text): Text =>
  (size) =>
    `{"name":"x","type":"private","configuration":[],"request_parameters":[]${text(size)}}`;
const parameters =
  (text: Text): Text =>
  (size) =>
    `{"name":"x","type":"private","configuration":[],"request_parameters":[${text(size)}{"name":"z","type":"string"}]}`;

export const MANIFESTS: Record<string, Text> = {
  'unknown keys': manifest(each((i) => `,"k${i}":1`)),
  'unknown keys that are nearly known': manifest(each((i) => `,"descriptio${i}":1`)),
  'one key again and again': manifest(many(',"k":1')),
  'a long key': manifest(many('k', '":1', ',"')),
  'open arrays': manifest(many('[', '', ',"a":')),
  'closed arrays': manifest(nested('[', ']', '', ',"a":')),
  'arrays that are too deep': manifest(many(`,${'['.repeat(70)}${']'.repeat(70)}`, ']', ',"a":[1')),
  'closed objects': manifest(nested('{"a":', '}', '1', ',"a":')),
  'many arrays': manifest(many(',[]', ']', ',"a":[1')),
  'a long number': manifest(many('9', '', ',"a":')),
  'a string without an end': manifest(many('\\"', '', ',"a":"')),
  parameters: parameters(each((i) => `{"name":"a${i}","type":"string"},`)),
  'parameters of a wrong type': parameters(each((i) => `{"name":"a${i}","type":"strin"},`)),
  'parameters of one name': parameters(many('{"name":"a","type":"string"},')),
  'parameters that are empty': parameters(many('{},')),
  'parameters that are numbers': parameters(many('1,')),
  'parameters with misspelled keys': parameters(each((i) => `{"nam":"a${i}","typ":"string"},`)),
  'unknown keys of a parameter': parameters(each((i) => `"k${i}":1,`, '"l":1},', '{"name":"a","type":"string",')),
  'a deep parameter': parameters(many('a.', 'a","type":"string"},', '{"name":"')),
  'parents and children': parameters(each((i) => `{"name":"a${i % 7}.b${i}","type":"string"},`)),
  'a name of two lengths': (size) => `{"name":"${'x'.repeat(size)}","type":"private","configuration":[]}`,
  colons: many(':', '', '{'),
  spaces: many(' '),
  comments: many('/**/', '}', '{'),
  quotes: many('"'),
  'trailing commas': manifest(many(',"a":[1,]')),
  'lines of a conflict': many('<<<<<<< \n'),
  keys: manifest(many('aB3dE5gH7jK9mN1pQ3sT5vW7yZ9xC2vB ', '"', ',"a":"')),
};

/** For regular expressions and what else counts no steps: linear, they take milliseconds. */
export const LONG: Record<string, Text> = {
  letters: many('a'),
  'letters of base64': many('aB3dE5gH7jK9mN1pQ3sT5vW7yZ9'),
  digits: many('0123456789abcdef'),
  'beginnings of keys': many('-----BEGIN '),
  'private keys': many('-----BEGIN PRIVATE KEY-----\n'),
  'beginnings of tokens': many('eyJ'),
  'tokens with dots': many('eyJhbGciOiJIUzI1NiJ9.'),
  addresses: many('postgres://a:'),
  'addresses without an end': many('a://b:cccccccc'),
  'words with dashes': many('key-ab-cd_'),
  'live keys': many('sk_live_'),
  headers: many('Bearer '),
  'header values': many('Bearer a.'),
  slashes: many('/'),
  quotes: many('"'),
  backslashes: many('\\'),
  'escaped quotes': many('\\"'),
  spaces: many(' '),
  'line feeds': many('\n'),
  'carriage returns': many('\r'),
  tabs: many('\t'),
  'lines of equals signs': many('=======\n'),
  'signs of commands': many('#a'),
  'open commands': many('##a['),
  colons: many('::'),
  'zero-width characters': many('a\u200b'),
  'zero-width joiners': many('\u200d'),
  'variation selectors': many('\u2764\ufe0f\u200d'),
  tags: many('\u{e0061}'),
  flags: many('\u{1f3f4}\u{e0067}'),
  'regional indicators': many('\u{1f1e6}'),
  surrogates: many('\ud83d\ude00'),
  'halves of surrogates': many('\ud83d'),
  'control characters': many('\u0001'),
  'bytes that are not UTF-8': many('\xff'),
  'replacement characters': many('\xef\xbf\xbd', '\xff'),
  'marks of JPEG': many('\xff', '', '\xff\xd8\xff'),
  'segments of JPEG': many('\xff\xe0\x00\x02', '', '\xff\xd8'),
  'chunks of PNG': many(
    '\x00\x00\x00\x00tEXt\x00\x00\x00\x00',
    '',
    '\x89PNG\r\n\x1a\n\x00\x00\x00\x00IHDR\x00\x00\x00\x00',
  ),
};

const halves =
  (from: Text, to: Text): Text =>
  (size) =>
    `${from(size / 2)}\f${to(size / 2)}`;

export const DIFFS: Record<string, Text> = {
  'nothing in common': halves(many('a\n'), many('b\n')),
  'every second line': halves(many('a\nb\n'), many('a\nc\n')),
  'lines in another order': halves(
    each((i) => `a${i % 997}\n`),
    each((i) => `a${(i * 31) % 997}\n`),
  ),
  'one more at the start': halves(many('a\n'), many('a\n', '', 'b\n')),
  'one line': halves(many('a'), many('b')),
  'line feeds': halves(many('\n'), many('\n', 'a')),
};
