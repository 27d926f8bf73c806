import com.sun.source.tree.*;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.tools.*;

/**
 * Prints the tokens of programs by a walk over javac's own tree, for comparison with the walk over that of tree-sitter.
 *
 * <p>One program a line, in Base64. Answers the count of syntax errors, a tab, and the tokens.
 */
public class JavacWalk extends TreeScanner<Void, Void> {
    private static final Map<String, String> PLAIN =
            Map.ofEntries(
                    Map.entry("PACKAGE", "PACKAGE"),
                    Map.entry("IMPORT", "IMPORT"),
                    Map.entry("TYPE_PARAMETER", "GENERIC"),
                    Map.entry("CASE", "CASE"),
                    Map.entry("DEFAULT_CASE_LABEL", "DEFAULT"),
                    Map.entry("CONDITIONAL_EXPRESSION", "COND"),
                    Map.entry("BREAK", "BREAK"),
                    Map.entry("CONTINUE", "CONTINUE"),
                    Map.entry("RETURN", "RETURN"),
                    Map.entry("THROW", "THROW"),
                    Map.entry("YIELD", "YIELD"),
                    Map.entry("ASSERT", "ASSERT"),
                    Map.entry("METHOD_INVOCATION", "APPLY"),
                    Map.entry("NEW_CLASS", "NEWCLASS"),
                    Map.entry("ASSIGNMENT", "ASSIGN"),
                    Map.entry("REQUIRES", "REQUIRES"),
                    Map.entry("PROVIDES", "PROVIDES"),
                    Map.entry("EXPORTS", "EXPORTS"));
    private static final Map<String, String> AREAS =
            Map.ofEntries(
                    Map.entry("CLASS", "CLASS"),
                    Map.entry("INTERFACE", "INTERFACE"),
                    Map.entry("ENUM", "ENUM"),
                    Map.entry("RECORD", "RECORD"),
                    Map.entry("ANNOTATION_TYPE", "ANNO_T"),
                    Map.entry("METHOD", "METHOD"),
                    Map.entry("SYNCHRONIZED", "SYNC"),
                    Map.entry("DO_WHILE_LOOP", "LOOP"),
                    Map.entry("WHILE_LOOP", "LOOP"),
                    Map.entry("FOR_LOOP", "LOOP"),
                    Map.entry("ENHANCED_FOR_LOOP", "LOOP"),
                    Map.entry("SWITCH", "SWITCH"),
                    Map.entry("SWITCH_EXPRESSION", "SWITCH"),
                    Map.entry("CATCH", "CATCH"),
                    Map.entry("MODULE", "MODULE"));

    private final StringBuilder tokens = new StringBuilder();

    private void add(String token) {
        tokens.append(token).append(' ');
    }

    @Override
    public Void scan(Tree tree, Void unused) {
        if (tree == null) {
            return null;
        }
        String kind = tree.getKind().name();
        if (PLAIN.containsKey(kind)) {
            add(PLAIN.get(kind));
        } else if (kind.endsWith("CREMENT") || tree instanceof CompoundAssignmentTree) {
            add("ASSIGN");
        }
        if (Runtime.version().feature() < 21 && tree instanceof CaseTree label && label.getExpressions().isEmpty()) {
            add("DEFAULT");
        }
        String area = AREAS.get(kind);
        if (area == null) {
            return super.scan(tree, unused);
        }
        add(area + "_BEGIN");
        super.scan(tree, unused);
        add(area + "_END");
        return null;
    }

    @Override
    public Void visitVariable(VariableTree tree, Void unused) {
        if (!tree.getName().isEmpty()) {
            add("VARDEF");
        }
        return super.visitVariable(tree, unused);
    }

    @Override
    public Void visitAnnotation(AnnotationTree tree, Void unused) {
        add("ANNO");
        return null;
    }

    @Override
    public Void visitTry(TryTree tree, Void unused) {
        add("TRY_BEGIN");
        scan(tree.getResources(), unused);
        scan(tree.getBlock(), unused);
        scan(tree.getCatches(), unused);
        if (tree.getFinallyBlock() != null) {
            add("FINALLY_BEGIN");
            scan(tree.getFinallyBlock(), unused);
            add("FINALLY_END");
        }
        add("TRY_END");
        return null;
    }

    @Override
    public Void visitIf(IfTree tree, Void unused) {
        add("IF_BEGIN");
        scan(tree.getCondition(), unused);
        scan(tree.getThenStatement(), unused);
        add("IF_END");
        if (tree.getElseStatement() instanceof IfTree) {
            scan(tree.getElseStatement(), unused);
        } else if (tree.getElseStatement() != null) {
            add("IF_BEGIN");
            scan(tree.getElseStatement(), unused);
            add("IF_END");
        }
        return null;
    }

    @Override
    public Void visitNewArray(NewArrayTree tree, Void unused) {
        add("NEWARRAY");
        scan(tree.getType(), unused);
        scan(tree.getDimensions(), unused);
        if (tree.getInitializers() != null && !tree.getInitializers().isEmpty()) {
            add("ARRAY_INIT_BEGIN");
            scan(tree.getInitializers(), unused);
            add("ARRAY_INIT_END");
        }
        return null;
    }

    public static void main(String[] arguments) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String text = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
            var file =
                    new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
                        @Override
                        public CharSequence getCharContent(boolean ignoreErrors) {
                            return text;
                        }
                    };
            var problems = new DiagnosticCollector<JavaFileObject>();
            var task = (JavacTask) compiler.getTask(null, null, problems, List.of("-proc:none"), null, List.of(file));
            var walk = new JavacWalk();
            for (CompilationUnitTree unit : task.parse()) {
                walk.scan(unit, null);
            }
            long errors =
                    problems.getDiagnostics().stream().filter(p -> p.getKind() == Diagnostic.Kind.ERROR).count();
            System.out.println(errors + "\t" + walk.tokens.toString().strip());
        }
    }
}
