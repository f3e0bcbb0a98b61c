"""The text of the Java class that `to_java` fills (`fill` in tables.py has the marks)."""

from __future__ import annotations

CLASS = """
@PACKAGE@
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** @TITLE@. Written by softwood.export.
 *
 * <p>A row is an Object[] of cells in the order of INPUTS or a Map by name; null and NaN are missing, a label that was
 * not seen at fit counts as missing. Classes are String, Long, Double or Boolean. */
public final class @N@ {
    private static final String[] NAMES = {@INPUTS@};
    public static final List<String> INPUTS = List.of(NAMES);
@if classes
    private static final Object[] LABELS = {@ANSWERS@};
    public static final List<Object> CLASSES = List.of(LABELS);
@end
@if numbers
    public static final List<Object> TARGETS = List.of(new Object[] {@ANSWERS@});
@end
    private static final int N_OUTPUTS = @N_OUTPUTS@;
@TABLES@
@if levels

@LEVELS@
@end

    private @N@() {}

@if classes
    /** Probabilities in the order of CLASSES. */
    public static double[] predictProba(Object[] row) {
        double[] p = link(output(encode(row)));
        for (int k = 0; k < p.length; k++) p[k] = Math.min(p[k], 1.0);
        return p;
    }

    public static double[] predictProba(Map<String, ?> row) {
        return predictProba(cells(row));
    }

    /** The class of least expected cost; the first one if tied. */
    public static Object predict(Object[] row) {
        double[] p = predictProba(row);
        int best = 0;
@if costs
        double least = Double.POSITIVE_INFINITY;
        for (int given = 0; given < p.length; given++) {
            double cost = 0.0;
            for (int real = 0; real < p.length; real++) cost += p[real] * COST[real * p.length + given];
            if (cost < least) {
                best = given;
                least = cost;
            }
        }
@end
@if !costs
        for (int k = 1; k < p.length; k++) if (p[k] > p[best]) best = k;
@end
        return LABELS[best];
    }

    public static Object predict(Map<String, ?> row) {
        return predict(cells(row));
    }
@end
@if numbers
    /** The predicted numbers, in the order of TARGETS. */
    public static double[] predict(Object[] row) {
        return link(output(encode(row)));
    }

    public static double[] predict(Map<String, ?> row) {
        return predict(cells(row));
    }
@end

    private static Object[] cells(Map<String, ?> row) {
        for (String name : row.keySet())
            if (!INPUTS.contains(name))
                throw new IllegalArgumentException(
                "the row has " + name + ", which is not an input; the inputs are " + INPUTS);
        Object[] cells = new Object[NAMES.length];
        for (int i = 0; i < cells.length; i++) cells[i] = row.get(NAMES[i]);
        return cells;
    }

    private static double[] encode(Object[] row) {
        if (row.length != NAMES.length)
            throw new IllegalArgumentException(
                "a row must have " + NAMES.length + " cells, one for each input, got " + row.length + ".");
        double[] x = new double[row.length];
        for (int i = 0; i < x.length; i++) x[i] = number(i, row[i]);
        return x;
    }

    private static double number(int input, Object cell) {
        Object value = cell instanceof Boolean ? (Object) ((Boolean) cell ? 1.0 : 0.0) : cell;
        if (value instanceof Number) value = ((Number) value).doubleValue();
        if (value == null || value.equals(Double.NaN)) return Double.NaN;
@if levels
        Map<Object, Double> codes = levels(input);
        if (codes != null) {
            if (value.equals(-0.0)) value = 0.0;
            if (codes.containsKey(value)) return codes.get(value);
            for (Object level : codes.keySet())
                if (level.getClass() == value.getClass()) return Double.NaN;
            if (codes.isEmpty()) return Double.NaN;
            throw new IllegalArgumentException("input " + NAMES[input] + " has categories like "
                + codes.keySet().iterator().next() + ", got " + cell + ".");
        }
@end
        if (!(value instanceof Double))
            throw new IllegalArgumentException("input " + NAMES[input] + " is a number, got " + cell + ".");
        if (((Double) value).isInfinite())
            throw new IllegalArgumentException("input " + NAMES[input] + " must be finite or missing, got " + cell);
        return (Double) value;
    }
@if levels

    private static Map<Object, Double> levels(int input) {
@CODES@
        return null;
    }
@end
@if columns

    private static double column(int c, double[] x) {
        double value = x[COLUMN_INPUT[c]];
        if (Double.isNaN(value)) return COLUMN_MISSING[c];
        value = Math.min(Math.max(value, COLUMN_LOW[c]), COLUMN_HIGH[c]);
        switch (COLUMN_KIND[c]) {
            case 0: return value;
            case 1: return value * value;
            case 2: return Math.max(0.0, value - COLUMN_PARAMETER[c]);
            case 3: return value == COLUMN_PARAMETER[c] ? 1.0 : 0.0;
            default: return 0.0;
        }
    }
@end
@if linear

    private static double score(int at, double[] x) {
        double score = BIAS[at];
@if columns
        for (int i = WEIGHT_BEGIN[at]; i < WEIGHT_BEGIN[at + 1]; i++) score += WEIGHT[i] * column(WEIGHT_COLUMN[i], x);
@end
        return score;
    }
@end
@if sigmoid

    private static double sigmoid(double score) {
        double e = Math.exp(-Math.abs(score));
        return (score >= 0 ? 1.0 : e) / (1.0 + e);
    }
@end
@if soft

    private static double soften(int at, int gate, double x) {
        double away = x - SOFT_THRESHOLD[at], below = SOFT_BELOW[at], above = SOFT_ABOVE[at];
@if threshold_sigmoid
        if (gate == 3) return sigmoid(-away / below);
@end
        if (away < 0) return away <= -below ? 1.0 : 0.5 - 0.5 * away / below;
        if (away > 0) return away >= above ? 0.0 : 0.5 - 0.5 * away / above;
        return 0.5;
    }
@end
@if readers

    private static int slot(int m, double[] x) {
        for (int r = READER_BEGIN[m]; r < READER_BEGIN[m + 1]; r++) {
            double value = x[READER_INPUT[r]];
            if (Double.isNaN(value)) continue;
            int at = SLOT_BEGIN[r];
            if (CUT_BEGIN[r] == CUT_BEGIN[r + 1]) at += (int) value;
            for (int i = CUT_BEGIN[r]; i < CUT_BEGIN[r + 1] && CUT[i] < value; i++) at++;
            if (SLOT[at] >= 0) return SLOT[at];
        }
        return -1;
    }
@end
@if gates
@if many_paths

    private static void share(int m, double[] x, double passed, double[] reach) {
        int child = FIRST_CHILD[m], gate = GATE[m];
        double first = -1.0;
@if linear_step
        if (gate == 4) first = score(GATE_AT[m], x) >= 0 ? 1.0 : 0.0;
@end
@if linear_sigmoid
        if (gate == 5) first = sigmoid(score(GATE_AT[m], x));
@end
@if soft
        if (gate == 2 || gate == 3) {
            double value = x[SOFT_INPUT[GATE_AT[m]]];
            if (!Double.isNaN(value)) first = soften(GATE_AT[m], gate, value);
        }
@end
        if (first >= 0) {
            reach[child] = passed * first;
            reach[child + 1] = passed * (1.0 - first);
            return;
        }
@if readers
        int slot = slot(m, x);
        for (int k = 0; k < N_CHILDREN[m]; k++)
            reach[child + k] = passed * (slot < 0 ? REST[child + k] : k == slot ? 1.0 : 0.0);
@end
    }
@end
@end

    private static double[] respond(int m, double[] x) {
        double[] answer = new double[N_OUTPUTS];
        for (int k = 0; k < N_OUTPUTS; k++) answer[k] = VALUE[m * N_OUTPUTS + k];
@if slopes
        for (int i = SLOPE_BEGIN[m]; i < SLOPE_BEGIN[m + 1]; i++) {
            double value = column(SLOPE_COLUMN[i], x);
            for (int k = 0; k < N_OUTPUTS; k++) answer[k] += value * SLOPE[i * N_OUTPUTS + k];
        }
@end
        return answer;
    }

    private static double[] output(double[] x) {
@if one_path
        int m = 0;
@if gates
        while (N_CHILDREN[m] > 0) {
@if linear
            if (GATE[m] == 4) {
                m = FIRST_CHILD[m] + (score(GATE_AT[m], x) >= 0 ? 0 : 1);
                continue;
            }
@end
@if readers
            int slot = slot(m, x);
            m = FIRST_CHILD[m] + (slot < 0 ? DEFAULT_SLOT[m] : slot);
@end
        }
@end
        return respond(m, x);
@end
@if many_paths
        double[] output = new double[N_OUTPUTS], reach = new double[LEAFNESS.length];
        reach[0] = 1.0;
        for (int m = 0; m < LEAFNESS.length; m++) {
            double kept = reach[m] * LEAFNESS[m], passed = reach[m] * (1.0 - LEAFNESS[m]);
            if (kept > 0) {
                double[] answer = respond(m, x);
                for (int k = 0; k < N_OUTPUTS; k++) output[k] += kept * answer[k];
            }
            if (N_CHILDREN[m] > 0 && passed > 0) share(m, x, passed, reach);
        }
        return output;
@end
    }

    private static double[] link(double[] output) {
@if two_of_one
        double p = sigmoid(output[0]);
        return new double[] {1.0 - p, p};
@end
@if identity_link
        return output;
@end
@if sigmoid_link
@if !two_of_one
        for (int k = 0; k < output.length; k++) output[k] = sigmoid(output[k]);
        return output;
@end
@end
@if log_link
        for (int k = 0; k < output.length; k++) output[k] = Math.exp(output[k]);
        return output;
@end
@if softmax_link
        double top = output[0], total = 0.0;
        for (double each : output) top = Math.max(top, each);
        for (int k = 0; k < output.length; k++) total += output[k] = Math.exp(output[k] - top);
        for (int k = 0; k < output.length; k++) output[k] /= total;
        return output;
@end
    }

    private static double[] reals(String... texts) {
        if (texts.length == 0) return new double[0];
        return Arrays.stream(String.join(" ", texts).split(" ")).mapToDouble(Double::parseDouble).toArray();
    }

    private static int[] wholes(String... texts) {
        return Arrays.stream(reals(texts)).mapToInt(each -> (int) each).toArray();
    }
}
"""
