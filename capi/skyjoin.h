/* skyjoin.h: similarity joins, clustering and pair counts, for C and everything
 * that can call C.
 *
 * Conventions
 *   - Every call that can fail returns 0, or a code of enum skyjoin_code and
 *     fills the caller's skyjoin_error (which may be NULL).
 *   - Points and jobs are handles: 64-bit numbers, never pointers; 0 is none. A
 *     handle that has been freed is an error, not a crash.
 *   - Structs that may grow begin with their own size, which the caller sets:
 *     programs compiled with an older header keep working.
 *   - Input arrays belong to the caller and stay alive and unchanged: those of
 *     points until skyjoin_points_free, others until skyjoin_job_free.
 *   - Rows are numbered from 0. Angles of coordinates are degrees; radii and
 *     distances on the sky are radians.
 *
 * A job: X_start, then skyjoin_job_wait until it is done, skyjoin_job_size of
 * the fields wanted, skyjoin_job_fill with arrays of that size, and again
 * skyjoin_job_wait, since a large table is computed into those arrays. Then
 * skyjoin_job_free. Jobs on few rows are done when start returns.
 *
 * The library must not be used in a child of fork() if the parent has used it:
 * a Go program does not survive a fork. Fork first, or spawn.
 */
#ifndef SKYJOIN_H
#define SKYJOIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header: major*1000 + minor. Programs of the same major
 * version and a lower minor version work with a library. */
#define SKYJOIN_ABI 1002

enum skyjoin_code {
  SKYJOIN_OK = 0,
  SKYJOIN_REQUEST = 1,    /* an argument cannot be */
  SKYJOIN_COORDINATE = 2, /* a value of a column; error.row and .column say which */
  SKYJOIN_MEMORY = 3,     /* more than is allowed or there */
  SKYJOIN_DEVICE = 4,     /* no GPU, or one that failed */
  SKYJOIN_CANCELLED = 5,  /* by skyjoin_job_cancel */
  SKYJOIN_HANDLE = 6,     /* no such points or job, or not of this kind */
  SKYJOIN_INTERNAL = 7,   /* a fault of the library: please report it */
  SKYJOIN_RUNNING = 8     /* skyjoin_job_wait: not done yet */
};

typedef struct skyjoin_error {
  uint32_t size;
  int32_t code;
  int64_t row;    /* -1 where there is none */
  int64_t column; /* -1 likewise */
  char message[512];
} skyjoin_error;

enum skyjoin_dtype { SKYJOIN_FLOAT64 = 1, SKYJOIN_FLOAT32 = 2 };

/* A column of numbers. stride is the bytes from one value to the next (it may
 * be negative). validity is NULL or a bitmap of the Arrow format, lowest bit
 * first, that starts at bit offset; a null is a SKYJOIN_COORDINATE error. */
typedef struct skyjoin_column {
  const void *data;
  int64_t stride;
  const uint8_t *validity;
  int64_t offset;
  int32_t dtype;
  int32_t reserved;
} skyjoin_column;

enum skyjoin_metric_kind {
  SKYJOIN_EUCLIDEAN = 0,
  SKYJOIN_SKY = 1,          /* RA, Dec in degrees */
  SKYJOIN_SKY_DISTANCE = 2, /* RA, Dec, distance */
  SKYJOIN_PERIODIC = 3      /* sides of the box, 0 for an open axis */
};

typedef struct skyjoin_metric {
  uint32_t size;
  int32_t kind;
  const double *sides;  /* of SKYJOIN_PERIODIC, one a column */
  const double *scales; /* NULL, or what each column is divided by */
  int32_t nsides;
  int32_t nscales;
} skyjoin_metric;

enum skyjoin_device {
  SKYJOIN_CPU = 0,
  SKYJOIN_GPU = 1, /* fails without one */
  SKYJOIN_AUTO = 2 /* a GPU where there is one and the work is worth it */
};

typedef struct skyjoin_options {
  uint32_t size;
  int32_t threads; /* 0: skyjoin_set_threads, else all */
  int32_t device;
  int32_t reserved;
  int64_t memory; /* bytes that the work may take, 0: what is available */
} skyjoin_options;

/* Fields of results. The type is that of the caller's array. */
enum skyjoin_field {
  SKYJOIN_LABELS = 1,         /* int64: cluster, -1 is noise; class of a vote */
  SKYJOIN_CORE = 2,           /* uint8: 1 for core rows */
  SKYJOIN_COUNTS = 3,         /* int64: neighbours of each row, itself included; or of a stat */
  SKYJOIN_OFFSETS = 4,        /* int64, rows+1: where the list of a row begins */
  SKYJOIN_INDICES = 5,        /* int64: row numbers of neighbours */
  SKYJOIN_DISTANCES = 6,      /* double */
  SKYJOIN_PROBABILITIES = 7,  /* double: of membership, or rows*classes */
  SKYJOIN_OUTLIER_SCORES = 8, /* double: GLOSH, or LOF */
  SKYJOIN_PERSISTENCE = 9,    /* double, one a cluster */
  SKYJOIN_ORDERING = 10,      /* int64: rows in the order of OPTICS */
  SKYJOIN_REACHABILITY = 11,  /* double */
  SKYJOIN_CORE_DISTANCES = 12, /* double */
  SKYJOIN_PREDECESSOR = 13,   /* int64, -1 is none */
  SKYJOIN_HIERARCHY = 14,     /* int64, 2 a cluster: first and last place in the ordering */
  SKYJOIN_LINKAGE = 15,       /* double, 4 a merge: a, b, height, rows */
  SKYJOIN_VALUES = 16,        /* double: predictions of a regression, or of a stat */
  SKYJOIN_ROWS_A = 17,        /* int64 of a match; -1 is none */
  SKYJOIN_ROWS_B = 18,        /* int64 likewise */
  SKYJOIN_PAIRS = 19,         /* uint64, one a bin: for auto counts unordered pairs */
  SKYJOIN_WEIGHTS = 20,       /* double, one a bin: sums of products of weights */
  SKYJOIN_SEPARATIONS = 21,   /* double, one a bin: mean separation */
  SKYJOIN_TOTALS = 22,        /* uint64, 3: pairs below, beyond, and all; of a stat 4 */
  SKYJOIN_TOTAL_WEIGHT = 23,  /* double, 1 */
  SKYJOIN_EDGES = 24,         /* double, 3 an edge of the spanning tree: a, b, height */
  SKYJOIN_RA = 25,            /* double, degrees */
  SKYJOIN_DEC = 26,           /* double, degrees */
  SKYJOIN_PATCH_PAIRS = 27,   /* uint64, a bin of each pair of patches: see skyjoin_count */
  SKYJOIN_PATCH_WEIGHTS = 28, /* double likewise */
  SKYJOIN_PATCH_TOTALS = 29,  /* double, one a pair of patches: the weight of all its pairs */
  SKYJOIN_CENTRES = 30,       /* double, patches of a catalog: coordinates, on the sky a unit vector */
  SKYJOIN_WEIGHTED_SEPARATIONS = 31, /* double, one a bin: mean separation by weight; since 1002 */
  SKYJOIN_LOG_SEPARATIONS = 32 /* double likewise: mean of its natural logarithm */
};

/* What each verb is asked. */

enum { SKYJOIN_STAR = 1, SKYJOIN_BORDER_NEAREST = 2, SKYJOIN_WANT_COUNTS = 4 };

typedef struct skyjoin_dbscan {
  uint32_t size;
  uint32_t flags;
  double eps;
  double min_points;     /* a sum of weights; the row itself included */
  const double *weights; /* NULL: 1 each */
} skyjoin_dbscan;

/* Core rows and their clusters, as an earlier run found them: a job of them has no
 * fields and is for skyjoin_predict_start. */
typedef struct skyjoin_dbscan_model {
  uint32_t size;
  uint32_t flags; /* SKYJOIN_BORDER_NEAREST or 0 */
  double eps;
  const int64_t *labels;
} skyjoin_dbscan_model;

enum { SKYJOIN_LEAF = 1, SKYJOIN_SINGLE_CLUSTER = 2, SKYJOIN_TIES_SKLEARN = 4 };

typedef struct skyjoin_hdbscan {
  uint32_t size;
  uint32_t flags;
  double min_samples; /* the row itself included */
  double min_cluster_size;
  double epsilon;          /* clusters are not split below it; 0: none */
  double max_cluster_size; /* 0: none */
  double alpha;            /* 0: 1 */
  const double *weights;
} skyjoin_hdbscan;

enum { SKYJOIN_XI_NO_CORRECTION = 1 };

typedef struct skyjoin_optics {
  uint32_t size;
  uint32_t flags;
  double min_samples;
  double max_eps; /* +Inf: none */
  double eps;     /* labels of a cut there; NaN: of xi */
  double xi;
  int64_t min_cluster_size;
} skyjoin_optics;

enum { SKYJOIN_LOF_TIES = 1 }; /* all rows as near as the k-th are neighbours */

typedef struct skyjoin_lof {
  uint32_t size;
  uint32_t flags;
  int64_t k;
} skyjoin_lof;

/* Neighbours of each row of query among those of data, or of query itself where
 * data is 0, its own row left out. k > 0: the k nearest, by (distance, row); else
 * all within radius, by row. SKYJOIN_PAD fills lists of k that are too short with
 * -1 and +Inf. */
enum { SKYJOIN_PAD = 1 };

typedef struct skyjoin_table {
  uint32_t size;
  uint32_t flags;
  uint64_t data;
  int64_t k;
  double radius;
} skyjoin_table;

enum { SKYJOIN_BY_DISTANCE = 1 };

/* Votes of the k nearest training rows, or of all within radius where k is 0. One
 * of labels (0..classes-1) and values is set. */
typedef struct skyjoin_vote {
  uint32_t size;
  uint32_t flags;
  uint64_t train;
  int64_t k;
  double radius;
  const int64_t *labels;
  const double *values;
  int64_t classes;
} skyjoin_vote;

enum skyjoin_find { SKYJOIN_BEST = 0, SKYJOIN_BEST1 = 1, SKYJOIN_BEST2 = 2, SKYJOIN_ALL = 3 };
enum skyjoin_join {
  SKYJOIN_1AND2 = 0, SKYJOIN_1OR2 = 1, SKYJOIN_ALL1 = 2, SKYJOIN_ALL2 = 3,
  SKYJOIN_1NOT2 = 4, SKYJOIN_2NOT1 = 5
};

typedef struct skyjoin_match {
  uint32_t size;
  int32_t find;
  uint64_t b;
  double radius;
  double min_radius;
  int32_t join;
  int32_t reserved;
} skyjoin_match;

enum skyjoin_plane { SKYJOIN_R = 0, SKYJOIN_RP_PI = 1, SKYJOIN_S_MU = 2 };

/* Pairs of rows by distance: of one catalog where b is 0. edges are those of the
 * bins of r, rp or s; across those of pi or mu. axis is the line of sight of a
 * box: 1, 2, 3, or 0 for the direction to the pair's middle.
 *
 * With patches, numbered from 0, one a row, pairs are also counted by those of both
 * rows: the bins of patches p and q begin at (p*patches + q)*bins, bins being the
 * number of PAIRS. Pairs of one catalog are those of p <= q. patch_a and patches came
 * with version 1001; a struct that ends before them has none. */
enum { SKYJOIN_WANT_SEPARATIONS = 1, SKYJOIN_WANT_WEIGHTED_SEPARATIONS = 2 };

typedef struct skyjoin_count {
  uint32_t size;
  uint32_t flags;
  uint64_t b;
  const double *edges;
  int64_t nedges;
  const double *weights_a;
  const double *weights_b;
  const double *across;
  int64_t nacross;
  int32_t plane;
  int32_t axis;
  const int32_t *patch_a;
  const int32_t *patch_b;
  int64_t patches; /* 0: none */
} skyjoin_count;

/* Divides a catalog into patches around centres: LABELS, the number of the nearest one
 * of each row, and CENTRES. Without centres they are found by k-means, with seed. */
typedef struct skyjoin_patches {
  uint32_t size;
  uint32_t reserved;
  int64_t patches;
  uint64_t seed;
  const double *centres; /* NULL, or one after the other */
} skyjoin_patches;

/* A function of two rows, reduced over all pairs of rows, of one catalog where b is 0.
 * The expression is in the language of 'cluster stat' (docs/commands/stat.md):
 * a.NAME and b.NAME are columns, a and b the vectors of the coordinates, dx, dy, dz
 * their differences, r the distance. names_a and names_b name the columns of either
 * catalog, coordinates_a and coordinates_b are the numbers of those that are
 * coordinates; those of b are not read where b is 0.
 *
 * With SKYJOIN_PERIODIC differences and r are those of the nearest images, one side
 * a coordinate. With SKYJOIN_SKY coordinates are RA and Dec, the difference of RA is
 * at most 180 degrees and r the angle in degrees; with SKYJOIN_SKY_DISTANCE and a
 * third coordinate r is the distance in space. Scales are refused.
 *
 * Sums are exact and rounded once. Fields:
 *   SKYJOIN_SUM        VALUES, 1; with SKYJOIN_PER_ROW one a row of a
 *   SKYJOIN_TRUE       COUNTS, likewise
 *   SKYJOIN_HISTOGRAM  PAIRS, one a bin, and TOTALS, 4: below the first edge, from
 *                      the last on, all, and not a number
 *   SKYJOIN_LIST       ROWS_A and ROWS_B of the pairs for which it is true
 *   SKYJOIN_LEAST, SKYJOIN_MOST  with SKYJOIN_PER_ROW only: VALUES and ROWS_B, the
 *                      lowest row that has it, -1 where there is none
 * Pairs of one catalog are met once, the lower row as a, if exchanging the rows
 * changes nothing as the form of the expression shows, and else both ways;
 * SKYJOIN_MEET_ONCE and SKYJOIN_MEET_BOTH say which. With SKYJOIN_PER_ROW each row
 * meets all others. */
enum skyjoin_reduction {
  SKYJOIN_SUM = 0, SKYJOIN_TRUE = 1, SKYJOIN_HISTOGRAM = 2, SKYJOIN_LIST = 3, SKYJOIN_LEAST = 4, SKYJOIN_MOST = 5
};
enum { SKYJOIN_PER_ROW = 1, SKYJOIN_MEET_ONCE = 2, SKYJOIN_MEET_BOTH = 4 };

typedef struct skyjoin_stat {
  uint32_t size;
  uint32_t flags;
  uint64_t b;
  const char *expression;
  const char *const *names_a; /* one a column of the points */
  const char *const *names_b;
  const int32_t *coordinates_a; /* ncoordinates each */
  const int32_t *coordinates_b;
  const double *edges; /* of SKYJOIN_HISTOGRAM */
  int64_t nedges;
  int32_t ncoordinates;
  int32_t reduction;
} skyjoin_stat;

/* Positions after years, by proper motions in mas a year (pmra with cos Dec). */
typedef struct skyjoin_propagate {
  uint32_t size;
  uint32_t reserved;
  int64_t rows;
  const double *ra;
  const double *dec;
  const double *pmra;
  const double *pmdec;
  const double *years;
} skyjoin_propagate;

#ifndef SKYJOIN_TYPES_ONLY

int32_t skyjoin_abi(void);
const char *skyjoin_version(void);

/* Threads of jobs that name none; 0: all that the process may use. Both
 * return the number in force. */
int32_t skyjoin_set_threads(int32_t threads);
int32_t skyjoin_threads(void);
/* Gives memory that is no longer needed back to the system. */
void skyjoin_release_memory(void);
/* The number of GPUs that can be used; name gets that of GPU i. */
int32_t skyjoin_devices(int32_t i, char *name, int32_t length, skyjoin_error *error);

int32_t skyjoin_points_new(const skyjoin_column *columns, int32_t ncolumns, int64_t rows,
                           int32_t threads, uint64_t *points, skyjoin_error *error);
int32_t skyjoin_points_free(uint64_t points);

int32_t skyjoin_dbscan_start(uint64_t points, const skyjoin_metric *metric, const skyjoin_dbscan *what,
                             const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_dbscan_model_start(uint64_t core, const skyjoin_metric *metric, const skyjoin_dbscan_model *what,
                                   const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_hdbscan_start(uint64_t points, const skyjoin_metric *metric, const skyjoin_hdbscan *what,
                              const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_optics_start(uint64_t points, const skyjoin_metric *metric, const skyjoin_optics *what,
                             const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_lof_start(uint64_t points, const skyjoin_metric *metric, const skyjoin_lof *what,
                          const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_table_start(uint64_t query, const skyjoin_metric *metric, const skyjoin_table *what,
                            const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_vote_start(uint64_t query, const skyjoin_metric *metric, const skyjoin_vote *what,
                           const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_match_start(uint64_t a, const skyjoin_metric *metric, const skyjoin_match *what,
                            const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_count_start(uint64_t a, const skyjoin_metric *metric, const skyjoin_count *what,
                            const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_patches_start(uint64_t points, const skyjoin_metric *metric, const skyjoin_patches *what,
                              const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_stat_start(uint64_t a, const skyjoin_metric *metric, const skyjoin_stat *what,
                           const skyjoin_options *options, uint64_t *job, skyjoin_error *error);
int32_t skyjoin_propagate_start(const skyjoin_propagate *what, const skyjoin_options *options,
                                uint64_t *job, skyjoin_error *error);
/* Labels of new rows by the clusters of a finished job of dbscan, dbscan_model
 * or hdbscan. */
int32_t skyjoin_predict_start(uint64_t model, uint64_t points, const skyjoin_options *options,
                              uint64_t *job, skyjoin_error *error);

/* Waits at most ms milliseconds (less than 0: for ever). SKYJOIN_RUNNING if the
 * job goes on, else 0 or why it failed. */
int32_t skyjoin_job_wait(uint64_t job, int32_t ms, skyjoin_error *error);
/* How much of how much is done; total 0 where it is not known. */
int32_t skyjoin_job_progress(uint64_t job, int64_t *done, int64_t *total);
/* Asks a job to end soon; wait then says SKYJOIN_CANCELLED. */
int32_t skyjoin_job_cancel(uint64_t job);
/* The number of values of a field. */
int32_t skyjoin_job_size(uint64_t job, int32_t field, int64_t *values, skyjoin_error *error);
/* Begins to fill arrays with fields; skyjoin_job_wait says when they are full.
 * arrays[i] has room for sizes[i] values, which must be those of the field. */
int32_t skyjoin_job_fill(uint64_t job, const int32_t *fields, void *const *arrays, const int64_t *sizes,
                         int32_t n, skyjoin_error *error);
/* Cancels the job if it runs, waits for its end, and forgets it. */
int32_t skyjoin_job_free(uint64_t job);

#endif /* SKYJOIN_TYPES_ONLY */

#ifdef __cplusplus
}
#endif
#endif /* SKYJOIN_H */
