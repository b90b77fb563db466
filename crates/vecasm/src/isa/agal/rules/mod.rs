//! What the Flash Player would say.
